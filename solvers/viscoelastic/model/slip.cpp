// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/viscoelastic/model/slip.hpp"

#include <algorithm>
#include <string>

#include "solvers/base/error.hpp"

namespace kaname::viscoelastic {

std::vector<ElementOffset> element_offsets(const Model& model, const p2::DofMap& dofs,
                                           const fault::SplitNodes& split, const PackSlip& slip) {
    for (const auto& lane : slip) {
        if (!lane.empty() && lane.size() != split.split.size()) {
            throw Error(ErrorCode::InvalidArgument,
                        "slip must be given at every split node: " + std::to_string(lane.size()) +
                            " for " + std::to_string(split.split.size()));
        }
    }
    std::vector<ElementOffset> offsets;
    std::int32_t last = -1;  // tet of the last offset; those of its faults add up
    for (const fault::SplitElement& element : split.elements) {
        const std::int32_t elem = model.local_element(element.tet);
        if (elem < 0) {
            continue;
        }
        if (element.tet != last) {
            offsets.push_back({elem, {}});
            last = element.tet;
        }
        ElementOffset& offset = offsets.back();
        for (int k = 0; k < p2::kNodesPerTet10; ++k) {
            if (element.side[k] == 0) {
                continue;
            }
            const std::int32_t at = split.index({dofs.conn[element.tet][k], element.fault});
            for (int lane = 0; lane < lanes::kLanes; ++lane) {
                for (int comp = 0; comp < 3 && !slip[lane].empty(); ++comp) {
                    offset.s[k][comp][lane] += 0.5 * element.side[k] * slip[lane][at][comp];
                }
            }
        }
    }
    std::sort(offsets.begin(), offsets.end(),
              [](const ElementOffset& a, const ElementOffset& b) { return a.elem < b.elem; });
    return offsets;
}

}  // namespace kaname::viscoelastic
