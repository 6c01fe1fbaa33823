// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <sstream>
#include <string>
#include <utility>
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
    v1::Estimate preflight(const std::string& request_json, const helpers::Caller&,
                           std::span<const helpers::NamedFile> files) override {
        ++n_preflights;
        {
            const std::lock_guard lock(estimated_lock);
            estimated = request_json;
            estimated_files.assign(files.begin(), files.end());
        }
        if (refusal) {
            refusal();
        }
        auto estimate = report::parse<v1::Estimate>(
            R"({"dof":300,"sources":2,"packs":1,"stations":3,"steps":3,"epochs":3,)"
            R"("solve_bytes":1e6,"gpu_bytes":2e6,"dataset_bytes":1e3,"mesh_s":10,"setup_s":5,)"
            R"("each_pack_s":100,"package_s":3,"solve_s":105,"spread":2,"notes":["Mw 7"]})",
            "fake estimate");
        estimate.set_surface_stored(surface_stored);
        estimate.set_sources(sources);
        for (int k = 0; k < n_warnings; ++k) {
            estimate.add_warnings("near a side");
        }
        return estimate;
    }
    void gather(const std::string& verb, const std::string&,
                std::span<const helpers::NamedFile> inputs, const std::filesystem::path& dataset,
                const helpers::Caller&) override {
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
        return block();
    }
    helpers::Slice slice(const std::filesystem::path&, const v1::ReadSliceRequest& wanted,
                         const helpers::Caller&) override {
        if (wanted.sources().start() > 100) {
            throw Error(ErrorCode::OutOfRange, "sources: index 101 must be < 2");
        }
        if (slice_bytes) {
            const helpers::Block shape = axes();
            const std::size_t count = shape.source_ids.size() * shape.values_of_a_source();
            return {shape, {"slice", slice_bytes(), count}};
        }
        return {axes(), stream_of("slice", block().values)};
    }
    static helpers::ValueStream stream_of(const std::string& verb,
                                          const std::vector<double>& values) {
        const std::string bytes(reinterpret_cast<const char*>(values.data()),
                                values.size() * sizeof(double));
        return {verb, std::make_unique<std::istringstream>(bytes), values.size()};
    }
    [[nodiscard]] helpers::Block axes() const {
        return {packaged, epochs_s, stations, {"east", "north", "up"}, {}};
    }
    [[nodiscard]] helpers::Block block() const {
        helpers::Block block = axes();
        for (std::size_t k = 0; k < packaged.size() * block.values_of_a_source(); ++k) {
            block.values.push_back(static_cast<double>(k));
        }
        return block;
    }

    v1::AnswerAxes answer_axes(const std::filesystem::path&) override {
        v1::AnswerAxes axes;
        axes.mutable_source_ids()->Assign(packaged.begin(), packaged.end());
        axes.mutable_station_ids()->Assign(stations.begin(), stations.end());
        axes.add_epochs_s(0.0);
        for (const char* component : {"east", "north", "up"}) {
            axes.add_components(component);
        }
        return axes;
    }
    /// The value of mantle everywhere; its error is a thousandth of the last source's place.
    helpers::AnsweredBlock answer(const std::filesystem::path&,
                                  const v1::AnswerCommand& command) override {
        ++n_answers;
        const v1::AnswerRequest& request = command.request();
        std::vector<double> errors, values;
        const std::int64_t sources =
            request.slip().empty() ? command.last_source() - command.first_source() : 1;
        for (const v1::Rheology& rheology : request.rheologies()) {
            const auto found = rheology.values().find("mantle");
            if (found != rheology.values().end() && found->second <= 0.0) {
                throw Error(ErrorCode::InvalidArgument, "viscosity of 'mantle' must be positive");
            }
            values.insert(values.end(),
                          static_cast<std::size_t>(sources) * stations.size() * 3 *
                              std::max<std::size_t>(request.epochs_s_size(), 1),
                          found == rheology.values().end() ? 0.0 : found->second);
            errors.push_back(1e-3 * static_cast<double>(command.last_source()));
        }
        return {errors, stream_of("answers", values), values.size()};
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
    std::atomic<int> n_preflights = 0, n_answers = 0;
    std::mutex estimated_lock;
    std::string estimated = {};                            ///< the latest request
    std::vector<helpers::NamedFile> estimated_files = {};  ///< and its files
    bool surface_stored = true;
    std::function<void()> refusal;
    std::function<std::unique_ptr<std::istream>()> slice_bytes;  ///< in place of a slice's values
    std::vector<std::string> packaged;
    std::vector<std::string> stations = {"A"};  ///< stations of the datasets
    std::vector<double> epochs_s = {0.0, 1.0};  ///< of their slices
    int n_warnings = 1;                         ///< warnings of a preflight
    std::uint32_t sources = 2;                  ///< that a preflight tells
};

}  // namespace kaname::test
