// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>

#include "tests/bench/system/assembled.hpp"

namespace kaname::bench {

/// PETSc's binary format (MatLoad, VecLoad): big-endian 32-bit integers and 64-bit floats.
///   matrix  1211216, rows, columns, non-zeros, length of each row, columns, values
///   vector  1211214, length, values
/// Throw Unavailable naming the file.
void write_petsc(const std::string& path, const AssembledSystem& A);
void write_petsc(const std::string& path, std::span<const double> x);

/// Matrix Market: lower triangle of a symmetric coordinate matrix; dense array by columns.
void write_matrix_market(const std::string& path, const AssembledSystem& A);
void write_matrix_market(const std::string& path, std::span<const double> values, std::size_t rows);

}  // namespace kaname::bench
