// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/io/export/greens/export_source.hpp"

#include <cmath>
#include <map>

#include "solvers/base/error.hpp"
#include "solvers/base/text.hpp"

namespace kaname::io {
namespace {

/// In (-180, 180].
double wrapped(double rake_deg) {
    const double rest = std::remainder(rake_deg, 360.0);
    return rest <= -180.0 ? rest + 360.0 : rest;
}

std::string quoted(const std::string& text) {
    return "'" + text + "'";
}

}  // namespace

ExportSource::ExportSource(const std::string& path)
    : path_(path), file_(path, h5::File::Mode::Read), rows_(read_greens_rows(path)) {
    std::map<std::string, std::size_t> known;
    for (std::size_t source = 0; source < rows_.sources.size(); ++source) {
        if (known.emplace(rows_.sources[source].patch_id, source).second) {
            patches_.push_back(source);
        }
    }
}

std::vector<SlipDirection> ExportSource::directions() const {
    const std::size_t none = rows_.sources.size();
    std::map<std::string, std::size_t> patch_index;
    for (std::size_t patch = 0; patch < patches_.size(); ++patch) {
        patch_index[rows_.sources[patches_[patch]].patch_id] = patch;
    }
    std::vector<SlipDirection> directions;
    for (std::size_t source = 0; source < rows_.sources.size(); ++source) {
        const GreensDataset::Source& row = rows_.sources[source];
        auto found = std::ranges::find(directions, row.component, &SlipDirection::name);
        if (found == directions.end()) {
            directions.push_back({row.component, wrapped(row.rake_deg), row.component == "opening",
                                  std::vector<std::size_t>(patches_.size(), none)});
            found = directions.end() - 1;
        }
        std::size_t& place = found->sources[patch_index[row.patch_id]];
        if (place != none) {
            throw Error(ErrorCode::InvalidArgument,
                        path_ + ": patch " + quoted(row.patch_id) + " must have one source of " +
                            row.component + ", got " + quoted(rows_.sources[place].id) + " and " +
                            quoted(row.id));
        }
        place = source;
    }
    for (const SlipDirection& direction : directions) {
        const auto gap = std::ranges::find(direction.sources, none);
        if (gap != direction.sources.end()) {
            const auto patch = static_cast<std::size_t>(gap - direction.sources.begin());
            throw Error(ErrorCode::InvalidArgument, path_ + ": every patch must have a source of " +
                                                        direction.name + ", as others have; " +
                                                        quoted(this->patch(patch).patch_id) +
                                                        " has none");
        }
    }
    std::ranges::stable_sort(directions, {}, [](const SlipDirection& direction) {
        return std::pair(direction.opening, direction.rake_deg);
    });
    return directions;
}

void ExportSource::require_complete() const {
    const auto is_done = [](const GreensDataset::Source& row) {
        return row.status == GreensDataset::kDone;
    };
    const auto first = std::ranges::find_if_not(rows_.sources, is_done);
    if (first == rows_.sources.end()) {
        return;
    }
    const auto lacking = static_cast<std::ptrdiff_t>(rows_.sources.size()) -
                         std::ranges::count_if(rows_.sources, is_done);
    throw Error(ErrorCode::InvalidArgument,
                path_ + ": every source must be done, " + std::to_string(lacking) + " of " +
                    std::to_string(rows_.sources.size()) + " are not: " + quoted(first->id) +
                    (first->status == 0 ? " is missing" : " failed") +
                    (first->failure.empty() ? "" : " (" + first->failure + ")") +
                    "; the layout csv holds the others");
}

GreensBlock ExportSource::read(Part sources, Part epochs, Part stations) const {
    return read_block(sources, epochs, stations, {0, 3});
}

GreensBlock ExportSource::read_patches(const SlipDirection& direction, Part patches, Part epochs,
                                       Part stations) const {
    const auto first = direction.sources.begin() + static_cast<std::ptrdiff_t>(patches.first);
    const auto [low, high] =
        std::minmax_element(first, first + static_cast<std::ptrdiff_t>(patches.count));
    return read({*low, *high - *low + 1}, epochs, stations);
}

GreensBlock ExportSource::read_component(std::size_t epoch, Part stations,
                                         std::size_t component) const {
    return read_block({0, rows_.sources.size()}, {epoch, 1}, stations, {component, 1});
}

GreensBlock ExportSource::read_block(Part sources, Part epochs, Part stations,
                                     Part components) const {
    GreensBlock block{sources, epochs, stations, components, {}};
    block.values = file_.read_block<double>(
        "greens", {sources.first, epochs.first, stations.first, components.first},
        {sources.count, epochs.count, stations.count, components.count}, {1, 1, 1, 1});
    check_finite(block);
    return block;
}

void ExportSource::check_finite(const GreensBlock& block) const {
    const std::size_t per_station = block.components.count;
    const std::size_t per_epoch = per_station * block.stations.count;
    const std::size_t per_source = per_epoch * block.epochs.count;
    for (std::size_t source = 0; source < block.sources.count; ++source) {
        const GreensDataset::Source& row = rows_.sources[block.sources.first + source];
        if (row.status != GreensDataset::kDone) {
            continue;
        }
        for (std::size_t i = source * per_source; i < (source + 1) * per_source; ++i) {
            if (std::isfinite(block.values[i])) {
                continue;
            }
            const std::size_t epoch = block.epochs.first + i % per_source / per_epoch;
            const std::size_t station = block.stations.first + i % per_epoch / per_station;
            throw Error(ErrorCode::InvalidArgument,
                        path_ + ": greens of a done source must be finite, got " +
                            number(block.values[i]) + " of " + quoted(row.id) + " at " +
                            number(rows_.epochs_s[epoch]) + " s, station " +
                            quoted(rows_.stations[station].id));
        }
    }
}

}  // namespace kaname::io
