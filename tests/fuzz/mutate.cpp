// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <cstdint>

#include "solvers/base/error.hpp"
#include "solvers/base/files.hpp"
#include "tests/fuzz/target.hpp"

namespace kaname::fuzz {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLargest = 1U << 16U;
constexpr std::array kNumbers = {"0",          "-1",         "1e999",      "nan",
                                 "-inf",       "2147483648", "4294967296", "9223372036854775808",
                                 "-0.0",       "1e-320",     "0x10",       "18446744073709551615",
                                 "1000000000", "",           "1,5",        "1.2.3"};

/// splitmix64 (Steele, Lea and Flood 2014).
class Draw {
public:
    explicit Draw(std::uint64_t seed) : state_(seed) {}
    std::size_t below(std::size_t n) { return n == 0 ? 0 : next() % n; }

private:
    std::uint64_t next() {
        state_ += 0x9e3779b97f4a7c15U;
        std::uint64_t z = state_;
        z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
        z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
        return z ^ (z >> 31U);
    }
    std::uint64_t state_;
};

/// Where a number stands in `text` at or behind `from`; nothing: size().
std::pair<std::size_t, std::size_t> number_in(const std::string& text, std::size_t from) {
    const std::size_t begin = text.find_first_of("0123456789", from);
    if (begin == std::string::npos) {
        return {text.size(), 0};
    }
    const std::size_t end = text.find_first_not_of("0123456789.eE+-", begin);
    return {begin, (end == std::string::npos ? text.size() : end) - begin};
}

void mutate_once(std::string& text, const Target& target, std::span<const std::string> seeds,
                 Draw& draw) {
    const std::size_t at = draw.below(text.size() + 1);
    const std::size_t some = 1 + draw.below(draw.below(4) == 0 ? 400 : 12);
    switch (draw.below(9)) {
        case 0:
            text.insert(at, 1, static_cast<char>(draw.below(256)));
            break;
        case 1:
            text.erase(at, some);
            break;
        case 2:
            text.insert(draw.below(text.size() + 1), text.substr(at, some));
            break;
        case 3:
            if (at < text.size()) {
                text[at] = static_cast<char>(text[at] ^ (1U << draw.below(8)));
            }
            break;
        case 4: {
            const auto [begin, length] = number_in(text, at);
            text.replace(begin, length, kNumbers[draw.below(kNumbers.size())]);
            break;
        }
        case 5:
            if (!target.words.empty()) {
                text.insert(at, target.words[draw.below(target.words.size())]);
            }
            break;
        case 6:
            text.resize(at);
            break;
        case 7: {
            const std::string& other = seeds[draw.below(seeds.size())];
            text.insert(at, other.substr(draw.below(other.size() + 1), some));
            break;
        }
        default: {  // a whole line again, or gone
            const std::size_t begin = text.rfind('\n', at == 0 ? 0 : at - 1);
            const std::size_t end = text.find('\n', at);
            if (begin != std::string::npos && end != std::string::npos) {
                const std::string line = text.substr(begin, end - begin);
                draw.below(2) == 0 ? text.insert(begin, line) : text.erase(begin, line.size());
            }
        }
    }
}

/// Returns the files of a folder of tests/fuzz that begin with the target's name.
std::vector<fs::path> files_of(const Target& target, const fs::path& folder) {
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(folder)) {
        if (entry.path().filename().string().starts_with(std::string(target.name) + '.')) {
            files.push_back(entry.path());
        }
    }
    std::ranges::sort(files);
    return files;
}

}  // namespace

std::vector<std::string> seeds_of(const Target& target, const fs::path& source) {
    std::vector<fs::path> files = files_of(target, source / "tests/fuzz/seeds");
    for (const char* file : target.files) {
        files.push_back(source / file);
    }
    std::vector<std::string> seeds;
    for (const fs::path& file : files) {
        seeds.push_back(read_file_if_any(file).substr(0, kLargest));
        if (seeds.back().empty()) {
            throw Error(ErrorCode::NotFound, file.string() + " is not there");
        }
    }
    return seeds;
}

std::vector<std::string> regressions_of(const Target& target, const fs::path& source) {
    std::vector<std::string> inputs;
    for (const fs::path& file : files_of(target, source / "tests/fuzz/regressions")) {
        inputs.push_back(read_file_if_any(file));
    }
    return inputs;
}

std::string mutated(const Target& target, std::span<const std::string> seeds,
                    std::uint64_t number) {
    Draw draw(number * 0x2545f4914f6cdd1dU + 1);
    std::string text = seeds[draw.below(seeds.size())];
    for (std::size_t k = 1 + draw.below(8); k > 0; --k) {
        mutate_once(text, target, seeds, draw);
    }
    text.resize(std::min(text.size(), kLargest));
    return text;
}

}  // namespace kaname::fuzz
