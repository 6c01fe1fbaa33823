// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <Eigen/Eigenvalues>

#include "solvers/base/simd.hpp"  // before Eigen, which reads the compiler's header too
