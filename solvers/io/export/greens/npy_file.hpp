// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "solvers/io/export/binary_file.hpp"

namespace kaname::io {

/// An array of little-endian float64 in C order, as numpy.load reads it (NPY format 1.0): the head
/// is written at once, the numbers follow one by one, commit() ends it.
class NpyFile {
public:
    NpyFile(const std::string& path, const std::vector<std::size_t>& shape);
    void number(double value) { file_.number(value); }
    void commit() { file_.commit(); }

private:
    BinaryFile file_;
};

}  // namespace kaname::io
