// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "client/cli/common/commands.hpp"
#include "client/cli/common/output_place.hpp"
#include "client/cli/common/service.hpp"
#include "proto/kaname/v1/inversion.pb.h"
#include "proto/request/inversion/load_inversion.hpp"

namespace kaname::cli {

/// An inversion said by options in place of a request.
struct InversionOptions {
    std::string name = "inversion", greens{};
    std::vector<std::string> data{}, kinds{};  ///< one kind for each file, or one for all, or none
    std::string unit{};
    double epoch_years = 0.0;
    std::optional<double> since_years{};
    double sigma_east_m = 0.0, sigma_north_m = 0.0, sigma_up_m = 0.0, sigma_los_m = 0.0;
    std::optional<double> rake_from_deg{}, rake_to_deg{}, azimuth_deg{}, max_m{}, magnitude{};
    bool allow_negative = false;
    std::string choice{};
    std::vector<double> history_days{};  ///< begin, end and step of a history; empty: none
    std::vector<std::string> series_terms{};
    double random_walk_m = 0.0;
};

/// The request that the options stand for; files have absolute paths. Throws InvalidArgument
/// for kinds that are neither one nor as many as the files.
[[nodiscard]] v1::Inversion inversion_of(const InversionOptions& options);

/// It as YAML for people to go on from; paths count from `folder`, where it will lie.
[[nodiscard]] std::string yaml_of(v1::Inversion inversion, const std::filesystem::path& folder);

/// The folder that an inversion leaves: inversion.h5, its slip as tables (slip.csv, or
/// slip_NAME.csv of several windows), and inversion.yaml where options stand for a request.
class InversionFolder {
public:
    /// Made before anything is computed, so that a place that cannot be used costs nothing. `yaml`:
    /// text of inversion.yaml, empty for none. Throws as OutputPlace does.
    InversionFolder(const v1::Inversion& inversion, std::filesystem::path path, std::string yaml,
                    bool force);

    [[nodiscard]] const std::filesystem::path& path() const { return path_; }

    /// Computes the inversion, with a progress line, and puts all files there; leaves nothing of
    /// one that fails. The report names inversion.h5.
    [[nodiscard]] v1::InversionReport fill(const v1::Inversion& inversion, int threads,
                                           const Context& context) const;

    /// A line per file, "slip: out/slip.csv".
    [[nodiscard]] std::string text() const;

private:
    void put_slip_tables(const Context& context) const;
    void clean_up(bool folder_is_new) const;

    std::filesystem::path path_;
    std::string yaml_;
    OutputPlace inversion_;
    std::vector<std::pair<std::string, OutputPlace>> slip_;  ///< by window
    std::optional<OutputPlace> specification_;
};

/// The command line of `kaname invert`.
struct InvertOptions {
    std::string file, output;
    InversionOptions said;
    std::string job;  ///< whose sources are the dataset, as they come; empty: a dataset of its own
    ServiceOptions service;
    int threads = 0;
    bool force = false;
    bool posterior = false;          ///< sampled too, whether or not the request asks for it
    std::vector<std::string> theta;  ///< viscosities sampled with slip, in place of the request's
    /// With which the posterior's chains end early, in place of the request's; 0: not said.
    int effective_samples = 0;
    /// Datasets of other structures, or one campaign, in place of the request's.
    std::vector<std::string> model_errors;
};

/// Returns true if options replace a request file. Throws InvalidArgument for options that do
/// not go together.
[[nodiscard]] bool is_said(const InvertOptions& options);

/// A request that keeps its rules, its text where options stand for it, and its folder.
struct WantedInversion {
    request::LoadedInversion loaded;
    std::string yaml;
    std::filesystem::path folder;

    /// Where it will write; `force`: replaces what is there.
    [[nodiscard]] InversionFolder place(bool force) const {
        return {loaded.inversion, folder, yaml, force};
    }
};

/// Returns the inversion to compute with the dataset at `greens`; if that is empty, with the
/// dataset of the options or of the request. Throws as request::load_inversion.
[[nodiscard]] WantedInversion wanted_inversion(const InvertOptions& options,
                                               const std::filesystem::path& greens = {});

}  // namespace kaname::cli
