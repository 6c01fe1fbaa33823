// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/jobs/geometry/several_patches.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

namespace kaname::jobs {
namespace {

/// The sources of each fault on a mesh that has all of them.
class SeveralPatchesOnMesh final : public SlipOnMesh {
public:
    SeveralPatchesOnMesh(std::vector<std::unique_ptr<SlipOnMesh>> faults,
                         std::map<std::string, std::size_t> of_source)
        : faults_(std::move(faults)), of_source_(std::move(of_source)) {}

    [[nodiscard]] std::vector<Vec3> slip_of(const std::string& id) const override {
        return of(id).slip_of(id);
    }
    [[nodiscard]] io::GreensDataset::Source row(const std::string& id) override {
        return of(id).row(id);
    }
    /// Patches of different faults are no neighbours: each has a grid of its own.
    void find_neighbours(std::span<io::GreensDataset::Source> rows) const override {
        for (std::size_t first = 0, last = 0; first < rows.size(); first = last) {
            while (last < rows.size() && rows[last].fault == rows[first].fault) {
                ++last;
            }
            const auto of_fault = rows.subspan(first, last - first);
            of(of_fault.front().id).find_neighbours(of_fault);
            for (io::GreensDataset::Source& row : of_fault) {
                for (std::int32_t& beside : row.neighbours) {
                    beside += beside < 0 ? 0 : static_cast<std::int32_t>(first);
                }
            }
        }
    }
    [[nodiscard]] Taken taken(const std::string& id) const override { return of(id).taken(id); }

private:
    [[nodiscard]] SlipOnMesh& of(const std::string& id) const {
        const auto found = of_source_.find(id);
        if (found == of_source_.end()) {
            throw unknown_source(id);
        }
        return *faults_[found->second];
    }

    std::vector<std::unique_ptr<SlipOnMesh>> faults_;
    std::map<std::string, std::size_t> of_source_;
};

}  // namespace

std::vector<std::string> SeveralPatches::ids() const {
    std::vector<std::string> ids;
    for (const auto& fault : faults_) {
        std::ranges::move(fault->ids(), std::back_inserter(ids));
    }
    return ids;
}

std::vector<Vec3> SeveralPatches::centres() const {
    std::vector<Vec3> centres;
    for (const auto& fault : faults_) {
        std::ranges::copy(fault->centres(), std::back_inserter(centres));
    }
    return centres;
}

bool SeveralPatches::any_place(const PlaceTest& test) const {
    return std::ranges::any_of(faults_, [&](const auto& fault) { return fault->any_place(test); });
}

void SeveralPatches::check(std::vector<Violation>& violations) const {
    for (const auto& fault : faults_) {
        fault->check(violations);
    }
}

std::vector<std::string> SeveralPatches::warnings() const {
    std::vector<std::string> all;
    for (const auto& fault : faults_) {
        std::ranges::move(fault->warnings(), std::back_inserter(all));
    }
    return all;
}

std::unique_ptr<SlipOnMesh> SeveralPatches::on(const MeshedFault& fault) const {
    std::vector<std::unique_ptr<SlipOnMesh>> on_mesh;
    std::map<std::string, std::size_t> of_source;
    for (const auto& patches : faults_) {
        for (std::string& id : patches->ids()) {
            of_source.emplace(std::move(id), on_mesh.size());
        }
        on_mesh.push_back(patches->on(fault));
    }
    return std::make_unique<SeveralPatchesOnMesh>(std::move(on_mesh), std::move(of_source));
}

}  // namespace kaname::jobs
