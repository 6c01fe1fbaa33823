// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "proto/report/report.hpp"
#include "server/helpers/compute.hpp"
#include "solvers/base/error.hpp"
#include "solvers/base/files.hpp"

namespace kaname::test {

/// kaname-compute as the server sees it, without a process: answers at once; what it answers, and
/// what it is to be asked, can be set.
class FakeHelpers final : public helpers::Compute {
public:
    v1::Estimate preflight(const std::string&, const helpers::Gone&) override {
        ++n_preflights;
        if (refusal) {
            refusal();
        }
        auto estimate = report::parse<v1::Estimate>(
            R"({"dof":300,"sources":2,"packs":1,"stations":3,"steps":3,"epochs":3,)"
            R"("solve_bytes":1e6,"gpu_bytes":2e6,"dataset_bytes":1e3,"mesh_s":10,"setup_s":5,)"
            R"("each_pack_s":100,"package_s":3,"solve_s":105,"spread":2,"notes":["Mw 7"]})",
            "fake estimate");
        estimate.set_surface_stored(surface_stored);
        for (int k = 0; k < n_warnings; ++k) {
            estimate.add_warnings("near a side");
        }
        return estimate;
    }
    void gather(const std::string& verb, const std::string&,
                std::span<const helpers::NamedFile> inputs, const std::filesystem::path& dataset,
                const helpers::Gone&) override {
        EXPECT_EQ(verb, gathering);
        const std::size_t n_needed = std::min(inputs.size(), needed.size());
        expect_needed(inputs.first(n_needed));
        std::string text;
        for (const std::string& id : note(inputs.subspan(n_needed))) {
            text += id + "\n";
        }
        write_file(dataset, text);
    }
    helpers::Block read(const std::string&, std::span<const helpers::NamedFile> inputs,
                        std::span<const helpers::NamedFile> sources) override {
        expect_needed(inputs);
        note(sources);
        return slice({}, {}, {});
    }
    helpers::Block slice(const std::filesystem::path&, const v1::ReadSliceRequest& wanted,
                         const helpers::Gone&) override {
        if (wanted.sources().start() > 100) {
            throw Error(ErrorCode::OutOfRange, "sources: index 101 must be < 2");
        }
        helpers::Block block{packaged, {0.0, 1.0}, stations, {"east", "north", "up"}, {}};
        for (std::size_t k = 0; k < packaged.size() * 6 * stations.size(); ++k) {
            block.values.push_back(static_cast<double>(k));
        }
        return block;
    }

    const std::vector<std::string>& note(std::span<const helpers::NamedFile> sources) {
        packaged.clear();
        for (const helpers::NamedFile& source : sources) {
            packaged.push_back(source.name);
        }
        return packaged;
    }

    void expect_needed(std::span<const helpers::NamedFile> inputs) const {
        std::vector<std::string> names;
        for (const helpers::NamedFile& input : inputs) {
            names.push_back(input.name);
        }
        EXPECT_EQ(names, needed);
    }

    std::string gathering = "package";           ///< the verb that makes a dataset
    std::vector<std::string> needed = {"mesh"};  ///< what that takes beside sources
    std::atomic<int> n_preflights = 0;
    bool surface_stored = true;
    std::function<void()> refusal;
    std::vector<std::string> packaged;
    std::vector<std::string> stations = {"A"};  ///< stations of the datasets
    int n_warnings = 1;                         ///< warnings of a preflight
};

}  // namespace kaname::test
