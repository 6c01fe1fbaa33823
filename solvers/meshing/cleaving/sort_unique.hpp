// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <vector>

namespace kaname::cleaving {

/// Ascending, each value once.
template <class Value>
void sort_unique(std::vector<Value>& values) {
    std::ranges::sort(values);
    values.erase(std::unique(values.begin(), values.end()), values.end());
}

}  // namespace kaname::cleaving
