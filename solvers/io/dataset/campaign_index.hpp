// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace kaname::io {

/// Holds the axes and members from which a campaign's index is written.
struct CampaignIndexInput {
    struct Axis {
        std::string name, along, unit;  ///< axes of one non-empty `along` share a dimension of it
        std::vector<std::string> values;
    };
    struct Member {
        std::string label;
        std::vector<std::string> values;  ///< one per axis, of the axis' values
        std::int8_t state = 0;
        std::string job, sha256, error;
        std::string file;  ///< its dataset, relative to the index; empty: none
    };
    std::string name, title, kaname_version;
    std::string states;  ///< meanings of 0, 1, ... with blanks between
    std::vector<Axis> axes;
    std::vector<Member> members;
};

struct CampaignIndexSummary {
    std::size_t places = 0, files = 0;
    std::vector<std::string> dimensions;  ///< of the members, slowest first
    bool greens = false;
    std::string why;  ///< why the datasets are not in one array; empty: they are
};

/// A netCDF-4 file with the members' axes as dimensions and coordinates (numbers where all values
/// are), and for each member state, job, file, sha256 and error. Where all datasets have the same
/// sources, epochs and stations, `greens` is all of them with the members' axes in front: a virtual
/// dataset, which reads from the members' files; members without one are NaN.
/// Throws InvalidArgument for a member whose values are not of the axes,
/// NotFound for a file that is not there.
[[nodiscard]] CampaignIndexSummary write_campaign_index(const std::string& path,
                                                        const CampaignIndexInput& input);

}  // namespace kaname::io
