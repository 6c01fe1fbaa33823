// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/io/export/greens/npy_file.hpp"

#include <bit>
#include <cstdint>

namespace kaname::io {

static_assert(std::endian::native == std::endian::little, "numbers are written as they are");

NpyFile::NpyFile(const std::string& path, const std::vector<std::size_t>& shape) : file_(path) {
    std::string head = "{'descr': '<f8', 'fortran_order': False, 'shape': (";
    for (const std::size_t extent : shape) {
        head += std::to_string(extent) + ", ";
    }
    head += "), }";
    // Magic, version and length are 10 bytes; with the head and its line end a multiple of 64.
    constexpr std::size_t kFront = 10;
    head.append(63 - (kFront + head.size()) % 64, ' ');
    head += '\n';
    file_.text(std::string("\x93NUMPY\x01\x00", 8));
    file_.number(static_cast<std::uint16_t>(head.size()));
    file_.text(head);
}

}  // namespace kaname::io
