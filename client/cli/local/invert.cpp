// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <chrono>
#include <iostream>
#include <optional>

#include "client/cli/common/commands.hpp"
#include "client/cli/common/preflight.hpp"
#include "client/cli/common/progress.hpp"
#include "client/cli/common/text.hpp"
#include "client/cli/local/inversion_options.hpp"
#include "solvers/base/error.hpp"
#include "solvers/base/files.hpp"
#include "solvers/base/text.hpp"
#include "worker/run/exit_code.hpp"

namespace kaname::cli {
namespace {

/// Inverts with the sources of a job while others are still being computed, again whenever there
/// are more, and a last time when all are there. The folder always holds the newest slip and
/// greens.h5, the dataset that it is of. Returns the exit code: not 0 when the job ended without
/// some of its sources. Throws before the job is waited for when anything but the dataset is wrong.
int invert_job(const InvertOptions& options, const Context& context);

/// A posterior that has not converged is no result, though the estimate is.
int exit_code_of_inversion(const v1::InversionReport& report) {
    return report.has_posterior() && !report.posterior().converged() ? run::kExitSomeFailed
                                                                     : run::kExitOk;
}

int invert_file(const InvertOptions& options, const Context& context) {
    const WantedInversion wanted = wanted_inversion(options);
    const InversionFolder folder = wanted.place(options.force);
    if (!wanted.loaded.chosen.empty()) {
        std::cerr << wanted.loaded.chosen << "\n";
    }
    const v1::InversionReport report =
        folder.fill(wanted.loaded.inversion, options.threads, context);
    if (context.json) {
        print_report(report);
    } else {
        std::cout << report.text() << folder.text();
    }
    return exit_code_of_inversion(report);
}

int invert_command(const InvertOptions& options, const Context& context) {
    if (!is_said(options)) {
        require_inversion(options.file, context.program);
    }
    return options.job.empty() ? invert_file(options, context) : invert_job(options, context);
}

void add_said(Command& command, InversionOptions& said) {
    // Each belongs to an inversion without a request.
    constexpr command::Rules kSaid{.group = "In place of FILE"};
    constexpr command::Rules kSaidAgain{.one_each = true, .group = kSaid.group};
    command.add_options(
        {{"--greens", &said.greens, "Dataset of Green's functions", kSaid},
         {"--data", &said.data, "Table of observations (CSV); may be repeated", kSaidAgain},
         {"--kind", &said.kinds,
          "gnss (default), gnss_acoustic, ocean_bottom_pressure or insar: of all data, or once for "
          "each",
          kSaidAgain},
         {"--unit", &said.unit,
          "Unit of columns without one in their name: m, cm, mm, m_per_year, cm_per_year, "
          "mm_per_year",
          kSaid},
         {"--epoch-years", &said.epoch_years, "When the motion was measured, since the slip",
          kSaid},
         {"--since-years", &said.since_years, "The motion between then and the epoch", kSaid},
         {"--sigma-east-m", &said.sigma_east_m,
          "Standard deviation of rows that have none, of velocities per year", kSaid},
         {"--sigma-north-m", &said.sigma_north_m, "The same to the north", kSaid},
         {"--sigma-up-m", &said.sigma_up_m, "The same upwards", kSaid},
         {"--sigma-los-m", &said.sigma_los_m, "The same towards the satellite", kSaid},
         {"--rake-from", &said.rake_from_deg, "Least rake of slip [degrees]", kSaid},
         {"--rake-to", &said.rake_to_deg, "Largest rake of slip [degrees]", kSaid},
         {"--azimuth", &said.azimuth_deg,
          "One direction of slip, of the hanging wall [degrees from north]", kSaid},
         {"--max-m", &said.max_m, "Largest slip [m]", kSaid},
         {"--magnitude", &said.magnitude, "Moment magnitude of all slip", kSaid},
         {"--allow-negative", &said.allow_negative, "Slip against its component's rake too", kSaid},
         {"--choice", &said.choice, "Of the weights: cross_validation, abic, abic_free or l_curve",
          kSaid},
         {"--history",
          &said.history_days,
          "Slip whose rate varies, from series: BEGIN,END,STEP [days]",
          {.delimiter = ',', .values = {3, 3}, .check = kNumber, .group = kSaid.group}},
         {"--series-terms",
          &said.series_terms,
          "Unknowns of each series beside --history: rate, annual, semiannual",
          {.delimiter = ',', .group = kSaid.group}},
         {"--random-walk-m", &said.random_walk_m,
          "Standard deviation of each series' random walk after a year [m]", kSaid},
         {"--name", &said.name, "Name of the inversion", kSaid}});
}

}  // namespace

void add_invert(Command& app, Context& context) {
    const auto options = std::make_shared<InvertOptions>();
    Command& command = add_command<InvertOptions>(
        app, context, "invert", "Find slip from observed motion", options, invert_command);
    command.add_options(
        {{"FILE", &options->file, "Request (YAML)"},
         {"-o,--output", &options->output,
          "Folder for inversion.h5 and slip.csv; default: the inversion's name"},
         {"--posterior", &options->posterior,
          "Sample the posterior distribution of slip too; exit code 4 where it has not converged"},
         {"--theta",
          &options->theta,
          "Viscosities with a range in the dataset that are sampled with slip; asks for "
          "--posterior",
          {.delimiter = ','}},
         {"--effective-samples",
          &options->effective_samples,
          "End the posterior as soon as all it has are known by so many effective samples, at "
          "least 100; asks for --posterior",
          {.check = kPositive}},
         {"--model-errors",
          &options->model_errors,
          "Datasets of other structures, or the folder of a campaign of them: how their motion "
          "differs is added to the errors of the data",
          {.delimiter = ','}},
         {"--threads", &options->threads, "Threads; 0: all cores", {.check = kNotNegative}},
         {"--force", &options->force, "Replace files that are there"},
         {"--job", &options->job,
          "Invert with the sources of this job of the service as they come: id, its "
          "first characters, a name, or latest"}});
    add_service_options(command, options->service);
    add_said(command, options->said);
}

namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr const char* kDataset = "greens.h5";

/// Returns true if the error is about `greens` alone: the sources so far are too few, which more of
/// them mend.
bool wants_more_sources(const ValidationError& error) {
    return std::ranges::all_of(error.violations(),
                               [](const Violation& rule) { return rule.field == "greens"; });
}

/// "12 of 65 sources: coseismic Mw 7.91, largest slip 3.2 m at s03d02"
std::string slip_line(const v1::InversionReport& report, const v1::Dataset& dataset) {
    std::string text =
        format_count(dataset.sources_done()) + " of " + counted(dataset.sources(), "source");
    for (int k = 0; k < report.windows_size(); ++k) {
        const v1::InversionReport::Window& window = report.windows(k);
        text += std::string(k == 0 ? ": " : "; ") + window.name() + " Mw " +
                formatted("%.2f", window.moment_magnitude()) + ", largest slip " +
                formatted("%.3g m", window.largest_slip_m()) + " at " + window.largest_at();
    }
    return text;
}

class LiveInversion {
public:
    LiveInversion(client::Client& client, std::string id, const InvertOptions& options,
                  const WantedInversion& first, const Context& context)
        : client_(client),
          id_(std::move(id)),
          options_(options),
          context_(context),
          folder_(first.folder),
          force_(options.force) {
        if (!options.force && fs::exists(folder_ / kDataset)) {
            const v1::Job job = client_.get_job(id_);
            if (!job.has_dataset() || !holds(folder_ / kDataset, job.dataset())) {
                (void)OutputPlace("--output", folder_ / kDataset, false);  // refuses to replace it
            }
        }
    }

    /// Refines when there are more sources, at most half of the time until all are there.
    void see(const v1::Job& job, ProgressView& view) {
        const std::int64_t done = job.counts().done();
        const bool all = done == job.counts().sources();
        if (done > n_done_ && (all || Clock::now() >= next_)) {
            view.end_line();
            refine(all);
        }
    }

    int finish(const v1::Job& job) {
        if (job.counts().done() == 0) {
            throw Error(ErrorCode::NotReady, "job " + id_ + " is " + state_text(job.state()) +
                                                 " and none of its sources is done");
        }
        // All sources may have been there before the job's own dataset was.
        const bool replaced = job.has_dataset() && !holds(folder_ / kDataset, job.dataset());
        if (job.counts().done() > n_done_ || replaced) {
            refine(true);
        }
        if (!context_.json) {
            std::cout << text_;
        }
        return report_.missing().empty() ? exit_code_of_inversion(report_) : run::kExitSomeFailed;
    }

private:
    void refine(bool last) {
        const Clock::time_point began = Clock::now();
        const v1::Dataset dataset = client_.get_dataset(id_, true);
        const bool folder_is_new = !fs::exists(folder_);
        const fs::path greens = fetch(dataset);
        try {
            const WantedInversion wanted = wanted_inversion(options_, greens);
            const InversionFolder place = wanted.place(force_);
            report_ = place.fill(wanted.loaded.inversion, options_.threads, context_);
            text_ = report_.text() + place.text() + "dataset: " + greens.string() + "\n";
            force_ = true;  // what is there now is this command's
            print_slip(dataset);
        } catch (const ValidationError& error) {
            if (last || !wants_more_sources(error)) {
                clean_up(greens, folder_is_new);
                throw;
            }
            std::cerr << format_count(dataset.sources_done()) << " of "
                      << counted(dataset.sources(), "source")
                      << ": too few of them to find slip with\n";
        } catch (...) {
            clean_up(greens, folder_is_new);
            throw;
        }
        n_done_ = dataset.sources_done();
        next_ = Clock::now() + (Clock::now() - began);
    }

    fs::path fetch(const v1::Dataset& dataset) {
        const fs::path path = folder_ / kDataset;
        if (!holds(path, dataset)) {
            (void)fetch_dataset(client_, dataset,
                                OutputPlace("--output", path, force_ || fetched_));
            fetched_ = true;
        }
        return path;
    }

    void print_slip(const v1::Dataset& dataset) const {
        if (context_.json) {
            std::cout << report::to_json(report_, report::Layout::Line) << std::endl;
        } else {
            std::cout << slip_line(report_, dataset) << std::endl;
        }
    }

    /// Leaves nothing where no slip was found at all.
    void clean_up(const fs::path& greens, bool folder_is_new) const {
        std::error_code ignored;
        if (n_done_ == 0 && fetched_) {
            fs::remove(greens, ignored);
        }
        if (n_done_ == 0 && folder_is_new) {
            fs::remove(folder_, ignored);
        }
    }

    client::Client& client_;
    std::string id_;
    const InvertOptions& options_;
    const Context& context_;
    fs::path folder_;
    bool force_;
    bool fetched_ = false;
    std::int64_t n_done_ = 0;
    Clock::time_point next_{};
    v1::InversionReport report_;
    std::string text_;
};

int invert_job(const InvertOptions& options, const Context& context) {
    const auto client = open_client(options.service);
    const std::string id = resolve_job(*client, options.job);
    const v1::Job job = client->get_job(id);
    if (job.counts().sources() == 0) {
        throw Error(ErrorCode::InvalidArgument,
                    "--job: must be of Green's functions, job " + id + " has no sources");
    }
    // Everything but the dataset is known to be wrong before anything is waited for.
    const TemporaryFolder scratch;
    write_file(scratch.path() / kDataset, "");
    const WantedInversion first = wanted_inversion(options, scratch.path() / kDataset);
    (void)first.place(options.force);
    if (!first.loaded.chosen.empty()) {
        std::cerr << first.loaded.chosen << "\n";
    }
    LiveInversion live(*client, id, options, first, context);
    const v1::Job ended = follow_job(
        *client, id, [&](const v1::Job& now, ProgressView& view) { live.see(now, view); });
    return live.finish(ended);
}

}  // namespace

}  // namespace kaname::cli
