// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solvers/aderdg/kernels/element_terms.hpp"
#include "solvers/device/hd.hpp"

/// A face's record in a GPU's memory, [lanes][record_numbers(modes)]: of a lane [modes][6],
/// tractions before velocities, and what fills up an odd number of 16 bytes. Records are copied 16
/// bytes at a time, and threads that have a lane each in shared memory are apart in its banks.
namespace kaname::aderdg {

template <class T>
KANAME_HD constexpr int record_numbers(int modes) {
    constexpr int kEach = 16 / static_cast<int>(sizeof(T));
    return ((kTraceQuantities * modes + kEach - 1) / kEach | 1) * kEach;
}

/// Place of component c of a lane's mode.
KANAME_HD constexpr int record_place(int c, int mode) {
    return kTraceQuantities * mode + c;
}

}  // namespace kaname::aderdg
