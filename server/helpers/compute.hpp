// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "proto/kaname/v1/report.pb.h"

namespace kaname::helpers {

/// Every `stride`-th index from `start`, `count` of them; count 0: to the end.
struct IndexRange {
    std::int64_t start = 0, count = 0, stride = 1;
};

struct SourceFile {
    std::string id;  ///< the source's id
    std::filesystem::path file;
};

/// A block of Green's functions in memory.
struct Block {
    std::vector<std::string> source_ids;
    std::vector<double> epochs_s;
    std::vector<std::string> station_ids;
    std::vector<std::string> components;
    std::vector<double> values;  ///< [source][epoch][station][component] m per m; NaN missing

    [[nodiscard]] std::size_t values_of_a_source() const {
        return epochs_s.size() * station_ids.size() * components.size();
    }
};

/// What the server asks of kaname-compute: processes of their own, so that a hostile specification
/// or a corrupt file ends a helper and not the server. `spec_json` names its files by paths that
/// can be read here. Safe from any thread; at most a few processes run at a time, the other callers
/// wait. All throw what the verb reported (ValidationError, Error), Unavailable when it cannot be
/// started or takes longer than its limit, Internal when it crashed.
class Compute {
public:
    virtual ~Compute() = default;

    /// Checks everything that needs geometry.
    virtual v1::Estimate preflight(const std::string& spec_json) = 0;
    /// Writes a dataset of the sources that are given; the specification's others are missing in
    /// it.
    virtual void package(const std::string& spec_json, const std::filesystem::path& mesh,
                         std::span<const SourceFile> sources,
                         const std::filesystem::path& dataset) = 0;
    /// Values of the sources that are given, read by a process that is kept for the next call about
    /// this specification and mesh.
    virtual Block read(const std::string& spec_json, const std::filesystem::path& mesh,
                       std::span<const SourceFile> sources) = 0;
    /// OutOfRange names the axis whose indices leave the dataset.
    virtual Block slice(const std::filesystem::path& dataset, const IndexRange& sources,
                        const IndexRange& epochs, const IndexRange& stations) = 0;
};

}  // namespace kaname::helpers
