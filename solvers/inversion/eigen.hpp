// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// clang-format off: before Eigen, which reads the compiler's header too.
#include "solvers/base/simd.hpp"
// clang-format on

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <Eigen/Eigenvalues>
