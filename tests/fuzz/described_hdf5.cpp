// SPDX-License-Identifier: BSD-3-Clause
#include "tests/fuzz/described_hdf5.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <vector>

#include "solvers/base/text_file.hpp"
#include "solvers/h5/file.hpp"
#include "tests/support/indirect_hdf5.hpp"

namespace kaname::fuzz {
namespace {

constexpr std::uint64_t kMostValues = 4096;
constexpr std::size_t kMostLines = 500, kMostAxes = 6;

/// The next word of a line, which loses it.
std::string_view word(std::string_view& line) {
    line = trimmed(line);
    const std::string_view first = line.substr(0, line.find(' '));
    line.remove_prefix(first.size());
    return first;
}

std::optional<h5::Dims> shape_of(std::string_view text) {
    h5::Dims dims;
    if (text == "-") {
        return dims;
    }
    while (true) {
        std::uint64_t extent = 0;
        const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), extent);
        if (failed != std::errc() || dims.size() == kMostAxes) {
            return std::nullopt;
        }
        dims.push_back(extent);
        text.remove_prefix(static_cast<std::size_t>(end - text.data()));
        if (!text.starts_with('x')) {
            return dims;
        }
        text.remove_prefix(1);
    }
}

/// How many values a shape has; nothing: more than 64 bits count.
std::optional<std::uint64_t> count_of(const h5::Dims& dims) {
    std::uint64_t n = 1;
    for (const std::uint64_t extent : dims) {
        if (__builtin_mul_overflow(n, extent, &n)) {
            return std::nullopt;
        }
    }
    return n;
}

template <typename T>
T number_of(const std::string& text) {
    if constexpr (std::is_floating_point_v<T>) {
        return static_cast<T>(std::strtod(text.c_str(), nullptr));
    } else {
        return static_cast<T>(std::strtoll(text.c_str(), nullptr, 10));
    }
}

template <typename T>
void add_numbers(h5::File& file, const std::string& name, const h5::Dims& dims,
                 std::optional<std::uint64_t> n, std::string_view rest) {
    if (!n) {
        file.create<T>(name, dims, h5::Dims(dims.size(), 1));
        return;
    }
    std::vector<T> values;
    T last = 0;
    while (values.size() < *n) {
        if (const std::string_view next = word(rest); !next.empty()) {
            last = number_of<T>(std::string(next));
        }
        values.push_back(last);
    }
    file.write<T>(name, values, dims);
}

void add_texts(h5::File& file, const std::string& name, const h5::Dims& dims, std::uint64_t n,
               std::string_view rest) {
    std::vector<std::string> values;
    rest = trimmed(rest);
    while (values.size() < n) {
        const std::size_t end = rest.find('|');
        values.emplace_back(rest.substr(0, end));
        rest.remove_prefix(end < rest.size() ? end + 1 : 0);
    }
    file.write_strings(name, values, dims);
}

void add_attribute(h5::File& file, std::string_view type, std::string_view line) {
    const std::string object(word(line)), name(word(line)), value(trimmed(line));
    if (object.empty() || name.empty()) {
        return;
    }
    if (type == "@f8") {
        file.set_attribute(object, name, number_of<double>(value));
    } else if (type == "@i8") {
        file.set_attribute(object, name, number_of<std::int64_t>(value));
    } else if (type == "@text") {
        file.set_attribute(object, name, value);
    }
}

void add_variable(h5::File& file, std::string_view type, std::string_view line) {
    const std::string name(word(line));
    const std::optional<h5::Dims> dims = shape_of(word(line));
    if (name.empty() || !dims) {
        return;
    }
    const std::optional<std::uint64_t> n = count_of(*dims);
    if (n && *n > kMostValues) {
        return;
    }
    if (type == "f8") {
        add_numbers<double>(file, name, *dims, n, line);
    } else if (type == "f4") {
        add_numbers<float>(file, name, *dims, n, line);
    } else if (type == "i8") {
        add_numbers<std::int64_t>(file, name, *dims, n, line);
    } else if (type == "i4") {
        add_numbers<std::int32_t>(file, name, *dims, n, line);
    } else if (type == "i1") {
        add_numbers<std::int8_t>(file, name, *dims, n, line);
    } else if (type == "u1") {
        add_numbers<std::uint8_t>(file, name, *dims, n, line);
    } else if (type == "text" && n) {
        add_texts(file, name, *dims, *n, line);
    }
}

/// The object that a line of an indirection adds, whose other file is the program's own.
struct Indirect {
    test::Indirection kind;
    std::string name;
    h5::Dims shape;
};

std::optional<Indirect> indirect_of(std::string_view type, std::string_view line) {
    const auto* named = std::ranges::find_if(test::kIndirections,
                                             [&](const auto& one) { return one.name == type; });
    const std::string name(word(line));
    const std::optional<h5::Dims> shape = shape_of(word(line));
    if (named == test::kIndirections.end() || name.empty() || !shape || !count_of(*shape)) {
        return std::nullopt;
    }
    return Indirect{named->kind, name, *shape};
}

}  // namespace

void write_described_hdf5(std::string_view text, const std::string& path) {
    std::vector<Indirect> others;
    h5::File file(path, h5::File::Mode::Create);
    for (std::size_t lines = 0; lines < kMostLines && !text.empty(); ++lines) {
        std::string_view line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(line.size() + 1, text.size()));
        const std::string_view type = word(line);
        if (std::optional<Indirect> other = indirect_of(type, line)) {
            others.push_back(std::move(*other));
        } else if (type.starts_with('@')) {
            add_attribute(file, type, line);
        } else {
            add_variable(file, type, line);
        }
    }
    file.close();
    for (const Indirect& other : others) {
        (void)test::add_indirection(path, other.name, other.kind, "/proc/self/exe", other.shape);
    }
}

}  // namespace kaname::fuzz
