// SPDX-License-Identifier: BSD-3-Clause
#include <array>
#include <fstream>

#include "solvers/base/error.hpp"
#include "solvers/h5/file.hpp"

namespace kaname::h5 {

bool has_hdf5_signature(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    if (!in) {
        throw Error(ErrorCode::NotFound, path + ": no such file, or not readable");
    }
    constexpr std::array<char, 8> kSignature = {'\x89', 'H', 'D', 'F', '\r', '\n', '\x1a', '\n'};
    std::array<char, 8> head = {};
    in.read(head.data(), head.size());
    return in.gcount() == 8 && head == kSignature;
}

}  // namespace kaname::h5
