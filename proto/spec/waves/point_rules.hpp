// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "proto/kaname/v1/waves.pb.h"
#include "proto/spec/form/rules.hpp"

namespace kaname::spec {

/// Ids of sources or receivers: 1 to 100,000 of them, each of letters, digits, '_', '.' and '-',
/// and each once. `name` is the list's field.
void check_wave_ids(const std::vector<std::string>& ids, const std::string& name, Rules& rules);

template <class List>
void check_wave_ids(const List& list, const std::string& name, Rules& rules) {
    std::vector<std::string> ids;
    for (const auto& entry : list) {
        ids.push_back(entry.id());
    }
    check_wave_ids(ids, name, rules);
}

enum class Height {
    Given,  ///< a place by x and y has its z
    Ground  ///< without z it is on the ground, as one by longitude and latitude without depth is
};

/// The place is one by x, y, z or, with `globe`, by longitude and latitude.
void check_place(const v1::WavePlace& place, const std::string& path, bool globe, Rules& rules,
                 Height height = Height::Given);

/// Returns true if any component is not 0.
[[nodiscard]] bool has_force(const v1::PointForce& force);
[[nodiscard]] bool has_moment(const v1::MomentTensor& moment);

inline constexpr int kMostSnapshots = 10000;
/// Times of snapshots: so many of them at most, increasing, within 0 to the end.
void check_snapshots(const google::protobuf::RepeatedField<double>& times_s,
                     const std::string& name, double end_s, Rules& rules);

}  // namespace kaname::spec
