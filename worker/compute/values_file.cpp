// SPDX-License-Identifier: BSD-3-Clause
#include "worker/compute/values_file.hpp"

#include <bit>
#include <utility>

#include "solvers/base/error.hpp"

namespace kaname::compute {

ValuesFile::ValuesFile(std::string file) : file_(std::move(file)), out_(file_, std::ios::binary) {
    check();
}

void ValuesFile::append(std::span<const double> values) {
    static_assert(std::endian::native == std::endian::little);
    out_.write(reinterpret_cast<const char*>(values.data()),
               static_cast<std::streamsize>(values.size_bytes()));
    check();
}

void ValuesFile::close() {
    out_.close();
    check();
}

void ValuesFile::check() const {
    if (!out_) {
        throw Error(ErrorCode::Unavailable, "file '" + file_ + "' cannot be written");
    }
}

void write_values(const std::string& file, std::span<const double> values) {
    ValuesFile out(file);
    out.append(values);
    out.close();
}

}  // namespace kaname::compute
