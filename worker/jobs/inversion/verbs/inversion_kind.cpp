// SPDX-License-Identifier: BSD-3-Clause
#include "worker/jobs/inversion/verbs/inversion_kind.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <utility>

#include "proto/report/report.hpp"
#include "proto/request/form/json.hpp"
#include "proto/request/form/text.hpp"
#include "solvers/base/error.hpp"
#include "solvers/base/machine.hpp"
#include "solvers/base/text.hpp"
#include "solvers/base/units.hpp"
#include "solvers/device/threads.hpp"
#include "worker/jobs/frame/reporter.hpp"
#include "worker/jobs/frame/waves_report.hpp"
#include "worker/jobs/stage/pack_frame.hpp"
#include "worker/run/exit_code.hpp"

namespace kaname::compute {
namespace {

int run_preflight(const Call& call, Runtime& runtime) {
    runtime.reporter.progress("preflight", 0.0, "reading data");
    const request::LoadedInversion loaded = load_stored_inversion(call.request, call.files);
    runtime.reporter.result("preflight", estimate_of(loaded, device::max_threads()));
    return run::kExitOk;
}

int run_invert(const Call& call, Runtime& runtime) {
    Reporter& reporter = runtime.reporter;
    reporter.log(program_text() + ", " + std::to_string(device::max_threads()) + " threads");
    reporter.progress("invert", 0.0, "reading data");
    const request::LoadedInversion loaded = load_stored_inversion(call.request, call.files);
    const jobs::InversionJob job = job_from_request(loaded);
    const jobs::InversionSummary summary = jobs::invert(
        job, loaded.inversion.greens().path(), call.out,
        [&](const jobs::InversionProgress& progress) {
            reporter.progress("invert", progress.fraction, progress.text);
        },
        [&](const jobs::InversionSummary& found) {
            v1::InversionReport kept = report_of(found, job, "", loaded.warnings);
            kept.clear_stations();  // the file has their residuals
            return report::to_json(kept, report::Layout::Line);
        });
    const v1::InversionReport report = report_of(summary, job, call.out, loaded.warnings);
    std::istringstream lines(report.text());
    for (std::string line; std::getline(lines, line);) {
        reporter.log(line);
    }
    reporter.log("time: " + formatted("%.1f s", summary.seconds) + "; memory " +
                 gib(jobs::peak_bytes()) + " at most");
    reporter.progress("invert", 1.0, "done");
    reporter.result("invert", report);
    // The file is written, but its posterior is no result.
    return report.has_posterior() && !report.posterior().converged() ? run::kExitSomeFailed
                                                                     : run::kExitOk;
}

}  // namespace

const Kind& inversion_kind() {
    static const Kind kind{
        .schemas = {v1::Inversion::descriptor()->full_name()},
        .verbs = {{.name = "preflight",
                   .what = "Check geometry, memory and time before anything is computed",
                   .once = run_preflight},
                  {.name = "invert",
                   .what = "Find slip from observed motion",
                   .out = Use::Must,
                   .once = run_invert}}};
    return kind;
}

namespace {

using report::count;

constexpr int kListed = 5;  // stations for people
constexpr int kListedMissing = 5;

std::string padded(std::string text, std::size_t width) {
    text.resize(std::max(text.size(), width), ' ');
    return text;
}

std::string counted(std::uint32_t n, const char* one, const char* many) {
    return std::to_string(n) + " " + (n == 1 ? one : many);
}

/// The longest name, for columns.
template <class List>
std::size_t width_of(const List& list) {
    std::size_t width = 0;
    for (const auto& entry : list) {
        width = std::max(width, entry.name().size());
    }
    return width;
}

bool is_rate(const std::string& window, const jobs::InversionJob& job) {
    const auto asked = std::ranges::find(job.slip.windows, window, &jobs::SlipWindow::name);
    return asked != job.slip.windows.end() && asked->is_rate();
}

std::string slip_text(const v1::InversionReport& report, const jobs::InversionJob& job) {
    std::string text = "slip\n";
    const std::size_t width = width_of(report.windows());
    for (int k = 0; k < report.windows_size(); ++k) {
        const v1::InversionReport::Window& window = report.windows(k);
        const bool rate = is_rate(window.name(), job);
        const char* each = rate ? "/year" : "";
        text += "  " + padded(window.name(), width) + "  ";
        if (window.moment_n_m() > 0.0) {
            text += "Mw " + formatted("%.2f", window.moment_magnitude()) + (rate ? " a year" : "") +
                    ", ";
        }
        text += "moment " + formatted("%.3g", window.moment_n_m()) + " N m" + each +
                ", largest slip " + formatted("%.3g", window.largest_slip_m()) + " m" + each +
                (window.largest_at().empty() ? "" : " at " + window.largest_at()) + "\n";
    }
    return text;
}

/// Unit of the observations of a set.
const char* unit_of(const std::string& set, const jobs::InversionJob& job) {
    const auto found = std::ranges::find(job.sets, set, &jobs::ObservationSet::name);
    return found != job.sets.end() && found->velocity ? " m/year" : " m";
}

/// Tells the factor that variance components put on a set's standard deviations; empty: none.
std::string factor_text(double factor, std::size_t width) {
    constexpr double kMuch = 2.0;  // of variances, either way
    const double variance = factor * factor;
    if (factor == 0.0 || variance == 1.0) {
        return "";
    }
    return "  " + padded("", width) + "    standard deviations times " + formatted("%.3g", factor) +
           (variance > kMuch         ? ", for the residuals are larger than they say"
            : variance < 1.0 / kMuch ? ", for the residuals are smaller than they say"
                                     : "") +
           "\n";
}

/// Tells how large errors of the structure are for a set; empty: there are none.
std::string model_error_text(const v1::InversionReport::Set& set, std::size_t width) {
    return set.model_error_ratio() > 0.0 ? "  " + padded("", width) + "    model errors are " +
                                               formatted("%.2g", set.model_error_ratio()) +
                                               " times the stated standard deviations (rms)\n"
                                         : "";
}

std::string model_errors_text(const v1::InversionReport& report) {
    if (!report.has_model_errors()) {
        return "";
    }
    const v1::ModelErrorsReport& errors = report.model_errors();
    std::string text = "model errors: " + counted(errors.members(), "dataset", "datasets") +
                       ", covariance of rank " + std::to_string(errors.rank()) + "\n";
    for (const auto& [name, rounds] : {std::pair("estimate", &errors.rounds()),
                                       std::pair("posterior", &errors.posterior_rounds())}) {
        for (int k = 0; k < rounds->size(); ++k) {
            const v1::ModelErrorsReport::Round& round = rounds->Get(k);
            text += "  " + std::string(name) + ", round " + std::to_string(k + 1) + "  moment " +
                    formatted("%.3g", round.moment_n_m()) + " N m (" +
                    formatted("%+.2g", 100.0 * round.moment_change()) + " %), trace " +
                    formatted("%.2g", round.trace_ratio()) +
                    " of the data's, covariance changed by " +
                    formatted("%.2g", 100.0 * round.covariance_change()) + " %\n";
        }
    }
    return text;
}

std::string data_text(const v1::InversionReport& report, const jobs::InversionJob& job) {
    std::string text = "data\n";
    const std::size_t width = width_of(report.sets());
    for (const v1::InversionReport::Set& set : report.sets()) {
        text += "  " + padded(set.name(), width) + "  " +
                counted(set.observations(), "observation", "observations") + " at " +
                counted(set.stations(), "station", "stations") + ", chi2/observation " +
                formatted("%.3g", set.chi2_per_observation()) + ", rms " +
                formatted("%.3g", set.rms_m()) + unit_of(set.name(), job) +
                ", variance reduction " + formatted("%.1f", 100.0 * set.variance_reduction()) +
                " %\n" + factor_text(set.sigma_factor(), width) + model_error_text(set, width);
        for (int k = 0; k < std::min(set.nuisance_size(), set.nuisance_names_size()); ++k) {
            text += "  " + padded("", width) + "    " + set.nuisance_names(k) + " " +
                    formatted("%.4g", set.nuisance(k)) + "\n";
        }
    }
    return text;
}

std::string stations_text(const v1::InversionReport& report, const jobs::InversionJob& job) {
    std::string text = "worst stations\n";
    for (int k = 0; k < std::min(report.stations_size(), kListed); ++k) {
        const v1::InversionReport::Station& station = report.stations(k);
        text += "  " + station.station() + " (" + station.set() + ")  chi2/observation " +
                formatted("%.3g", station.chi2_per_observation()) + ", rms " +
                formatted("%.3g", station.rms_m()) + unit_of(station.set(), job) + "\n";
    }
    return report.stations().empty() ? "" : text;
}

std::string interval_text(const v1::InversionReport::Interval& interval, const char* format) {
    return formatted(format, interval.median()) + " (" + formatted(format, interval.low()) +
           " to " + formatted(format, interval.high()) + ")";
}

std::string posterior_text(const v1::InversionReport& report, const jobs::InversionJob& job) {
    if (!report.has_posterior()) {
        return "";
    }
    const v1::InversionReport::Posterior& posterior = report.posterior();
    std::string text = "posterior: median (95 % of the draws), " +
                       std::to_string(posterior.chains()) + " chains of " +
                       std::to_string(posterior.iterations()) + " iterations\n";
    if (posterior.iterations() < posterior.most_iterations()) {
        text += "  ended after " + std::to_string(posterior.iterations()) + " of " +
                std::to_string(posterior.most_iterations()) +
                " iterations, since each number has the " +
                std::to_string(job.posterior->effective_samples) +
                " effective samples that were asked for\n";
    }
    for (const v1::InversionReport::Posterior::Window& window : posterior.windows()) {
        const char* each = is_rate(window.name(), job) ? "/year" : "";
        text += "  " + window.name() + "  Mw " + interval_text(window.moment_magnitude(), "%.2f") +
                ", moment " + interval_text(window.moment_n_m(), "%.3g") + " N m" + each + "\n";
        for (const v1::InversionReport::Posterior::Part& part : window.parts()) {
            text += "    " + part.name() + "  moment " + interval_text(part.moment_n_m(), "%.3g") +
                    " N m" + each + "\n";
        }
        text += "    field that is rectified: standard deviation " +
                interval_text(window.sigma_m(), "%.3g") + " m" + each + ", correlated over " +
                interval_text(window.length_m(), "%.3g") + " m\n";
    }
    for (const v1::InversionReport::Posterior::Factor& factor : posterior.factors()) {
        text += "  errors of " + factor.set() + "  " + interval_text(factor.factor(), "%.3g") +
                " times their standard deviations\n";
    }
    for (const v1::InversionReport::Posterior::Theta& theta : posterior.theta()) {
        text += "  viscosity of " + theta.name() + "  " +
                interval_text(theta.viscosity_pa_s(), "%.3g") + " Pa s, within " +
                formatted("%.3g", theta.from_pa_s()) + " to " + formatted("%.3g", theta.to_pa_s()) +
                "\n";
    }
    if (!posterior.theta().empty()) {
        text += "    " + formatted("%.0f", posterior.effective_theta()) +
                " effective samples at least, " + formatted("%.2f", posterior.acceptance()) +
                " of steps taken; errors of the responses: interpolation " +
                formatted("%.2g", posterior.interpolation_error()) +
                " standard deviations of the data (rms), reduced model " +
                formatted("%.2g", posterior.certified_error()) + " of the largest change\n";
    }
    return text + "  effective samples: slip " + formatted("%.0f", posterior.effective_slip()) +
           " at least, moment " + formatted("%.0f", posterior.effective_moment()) +
           ", standard deviation of the field " + formatted("%.0f", posterior.effective_lambda()) +
           "; R-hat " + formatted("%.3f", posterior.r_hat()) + " at most\n";
}

std::string history_text(const v1::InversionReport& report) {
    if (!report.has_history()) {
        return "";
    }
    const v1::InversionReport::History& history = report.history();
    const auto days = [](double s) { return formatted("%.4g", s / kDay_s); };
    return "history: " + counted(history.steps(), "step", "steps") + ", largest moment rate " +
           formatted("%.3g", history.largest_moment_rate()) + " N m/year (standard deviation " +
           formatted("%.2g", history.sigma_moment_rate()) + " without bounds) from day " +
           days(history.begin_s()) + " to " + days(history.end_s()) + "\n";
}

std::string missing_text(const v1::InversionReport& report) {
    if (report.missing().empty()) {
        return "";
    }
    std::string text = "missing in the dataset, taken as without slip:";
    for (int k = 0; k < std::min(report.missing_size(), kListedMissing); ++k) {
        text += (k == 0 ? " " : ", ") + report.missing(k);
    }
    if (report.missing_size() > kListedMissing) {
        text += " and " + std::to_string(report.missing_size() - kListedMissing) + " more";
    }
    return text + "\n";
}

std::string text_of(const v1::InversionReport& report, const jobs::InversionJob& job) {
    std::string text = counted(report.unknowns(), "unknown", "unknowns") + ", " +
                       counted(report.observations(), "observation", "observations") + "\n";
    text += "weights: smoothness " + formatted("%.4g", report.smoothness()) + ", sparsity " +
            formatted("%.4g", report.sparsity()) + " by " + report.choice();
    text +=
        report.choice() == "fixed" ? "\n" : ", score " + formatted("%.6g", report.score()) + "\n";
    text += slip_text(report, job) + data_text(report, job) + stations_text(report, job);
    if (report.has_reference()) {
        const v1::InversionReport::Reference& known = report.reference();
        text += "known slip: Mw " + formatted("%.2f", known.moment_magnitude()) +
                ", correlation with what was found " + formatted("%.3f", known.correlation()) +
                ", rms difference " + formatted("%.3g", known.rms_m()) + " m\n";
    }
    text += model_errors_text(report) + posterior_text(report, job) + history_text(report) +
            missing_text(report);
    for (const std::string& warning : report.warnings()) {
        text += "warning: " + warning + "\n";
    }
    return text;
}

void add_sets(const jobs::InversionSummary& summary, v1::InversionReport& report) {
    for (const auto& set : summary.sets) {
        v1::InversionReport::Set& added = *report.add_sets();
        added.set_name(set.name);
        added.set_observations(count(set.observations));
        added.set_stations(count(set.stations));
        added.set_chi2_per_observation(set.chi2_per_observation);
        added.set_rms_m(set.rms_m);
        added.set_variance_reduction(set.variance_reduction);
        added.set_sigma_factor(set.sigma_factor);
        added.set_model_error_ratio(set.model_error_ratio);
        added.mutable_nuisance()->Assign(set.nuisance.begin(), set.nuisance.end());
        added.mutable_nuisance_names()->Assign(set.nuisance_names.begin(),
                                               set.nuisance_names.end());
    }
}

void set_interval(const jobs::InversionSummary::Interval& from, v1::InversionReport::Interval& to) {
    to.set_low(from.low);
    to.set_median(from.median);
    to.set_high(from.high);
}

void add_posterior(const jobs::InversionSummary::Posterior& found,
                   const jobs::InversionSummary& summary, v1::InversionReport::Posterior& report) {
    for (const auto& window : found.windows) {
        v1::InversionReport::Posterior::Window& added = *report.add_windows();
        added.set_name(window.name);
        set_interval(window.moment_n_m, *added.mutable_moment_n_m());
        if (window.moment_n_m.low > 0.0) {  // no moment has no magnitude
            set_interval(window.moment_magnitude, *added.mutable_moment_magnitude());
        }
        for (const auto& part : window.parts) {
            v1::InversionReport::Posterior::Part& of_part = *added.add_parts();
            of_part.set_name(part.name);
            set_interval(part.moment_n_m, *of_part.mutable_moment_n_m());
        }
        set_interval(window.sigma_m, *added.mutable_sigma_m());
        set_interval(window.length_m, *added.mutable_length_m());
    }
    for (std::size_t set = 0; set < found.factors.size(); ++set) {
        v1::InversionReport::Posterior::Factor& factor = *report.add_factors();
        factor.set_set(summary.sets[set].name);
        set_interval(found.factors[set], *factor.mutable_factor());
    }
    for (const auto& theta : found.theta) {
        v1::InversionReport::Posterior::Theta& added = *report.add_theta();
        added.set_name(theta.name);
        added.set_from_pa_s(theta.from_pa_s);
        added.set_to_pa_s(theta.to_pa_s);
        set_interval(theta.viscosity_pa_s, *added.mutable_viscosity_pa_s());
    }
    if (!found.theta.empty()) {
        report.set_effective_theta(found.effective_theta);
        report.set_acceptance(found.acceptance);
        report.set_interpolation_error(found.interpolation_error);
        report.set_certified_error(found.certified_error);
    }
    report.set_chains(count(found.chains));
    report.set_iterations(count(found.iterations));
    report.set_most_iterations(count(found.most_iterations));
    report.set_effective_slip(found.effective_slip);
    report.set_effective_moment(found.effective_moment);
    report.set_effective_lambda(found.effective_lambda);
    report.set_r_hat(found.r_hat);
    report.set_converged(found.converged);
    report.set_seconds(found.seconds);
}

void add_model_errors(const jobs::InversionSummary::ModelErrors& found,
                      v1::ModelErrorsReport& report) {
    report.set_members(count(found.members));
    report.set_rank(count(found.rank));
    report.set_off_centre(found.off_centre);
    const auto add = [](const auto& rounds, auto& to) {
        for (const auto& round : rounds) {
            v1::ModelErrorsReport::Round& added = *to.Add();
            added.set_moment_n_m(round.moment_n_m);
            added.set_moment_change(round.moment_change);
            added.set_trace_ratio(round.trace_ratio);
            added.set_covariance_change(round.covariance_change);
        }
    };
    add(found.rounds, *report.mutable_rounds());
    add(found.posterior_rounds, *report.mutable_posterior_rounds());
}

void add_stations(std::vector<jobs::InversionSummary::Station> stations,
                  v1::InversionReport& report) {
    std::ranges::stable_sort(stations, std::ranges::greater(),
                             &jobs::InversionSummary::Station::chi2_per_observation);
    stations.resize(std::min(stations.size(), kReportedStations));
    for (const auto& station : stations) {
        v1::InversionReport::Station& added = *report.add_stations();
        added.set_set(station.set);
        added.set_station(station.station);
        added.set_chi2_per_observation(station.chi2_per_observation);
        added.set_rms_m(station.rms_m);
    }
}

}  // namespace

v1::InversionReport report_of(const jobs::InversionSummary& summary, const jobs::InversionJob& job,
                              const std::string& file, const std::vector<std::string>& warnings) {
    v1::InversionReport report;
    report.set_file(file);
    add_sets(summary, report);
    for (const auto& window : summary.windows) {
        v1::InversionReport::Window& added = *report.add_windows();
        added.set_name(window.name);
        added.set_moment_n_m(window.moment_n_m);
        // No moment has no magnitude.
        added.set_moment_magnitude(std::isfinite(window.moment_magnitude) ? window.moment_magnitude
                                                                          : 0.0);
        added.set_largest_slip_m(window.largest_slip_m);
        added.set_largest_at(window.largest_at);
    }
    add_stations(summary.stations, report);
    report.set_choice(summary.choice);
    report.set_smoothness(summary.smoothness);
    report.set_sparsity(summary.sparsity);
    report.set_score(summary.score);
    report.mutable_missing()->Assign(summary.missing.begin(), summary.missing.end());
    report.mutable_warnings()->Assign(warnings.begin(), warnings.end());
    report.mutable_warnings()->Add(summary.warnings.begin(), summary.warnings.end());
    if (summary.reference) {
        v1::InversionReport::Reference& reference = *report.mutable_reference();
        reference.set_moment_magnitude(summary.reference->moment_magnitude);
        reference.set_correlation(summary.reference->correlation);
        reference.set_rms_m(summary.reference->rms_m);
    }
    if (summary.posterior) {
        add_posterior(*summary.posterior, summary, *report.mutable_posterior());
    }
    if (summary.model_errors) {
        add_model_errors(*summary.model_errors, *report.mutable_model_errors());
    }
    if (summary.history) {
        v1::InversionReport::History& history = *report.mutable_history();
        history.set_steps(count(summary.history->steps));
        history.set_largest_moment_rate(summary.history->largest_moment_rate);
        history.set_sigma_moment_rate(summary.history->sigma_moment_rate);
        history.set_begin_s(summary.history->begin_s);
        history.set_end_s(summary.history->end_s);
    }
    report.set_unknowns(count(summary.unknowns));
    report.set_observations(count(summary.observations));
    report.set_seconds(summary.seconds);
    report.set_text(text_of(report, job));
    return report;
}

}  // namespace kaname::compute
