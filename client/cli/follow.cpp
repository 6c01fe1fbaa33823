// SPDX-License-Identifier: BSD-3-Clause
#include "client/cli/follow.hpp"

#include <iostream>

#include "client/cli/format.hpp"
#include "solvers/base/sha256.hpp"
#include "solvers/base/shown.hpp"

namespace kaname::cli {
namespace {

run::Progress job_progress(const v1::Job& job) {
    const v1::JobProgress& progress = job.progress();
    run::Progress line;
    const bool sources = job.counts().sources() > 0;
    line.stage = sources ? "solve" : "run";
    line.fraction = progress.fraction();
    if (progress.eta_s() >= 0.0) {
        line.eta_s = progress.eta_s();
    }
    if (sources) {
        line.text = format_count(job.counts().done()) + "/" + format_count(job.counts().sources()) +
                    " sources";
    }
    if (!progress.text().empty()) {
        line.text += (sources ? "; " : "") + progress.text();
    }
    return line;
}

}  // namespace

v1::Job follow_job(client::Client& client, const std::string& id,
                   const std::function<void(const v1::Job&, ProgressView& view)>& on_job) {
    ProgressView view(std::cerr, terminal_columns());
    client.watch_job(id, [&](const v1::JobUpdate& update) {
        if (update.event() == v1::JobUpdate::ITEM_FAILED) {
            view.end_line();
            std::cerr << "error: " << shown_on_a_line(update.item().label()) << ": "
                      << shown_on_a_line(update.item().error()) << "\n";
        }
        if (update.has_job() && update.job().has_progress()) {
            view.show(job_progress(update.job()));
        }
        if (update.has_job() && on_job) {
            on_job(update.job(), view);
        }
    });
    view.end_line();
    return client.get_job(id);
}

bool holds(const std::filesystem::path& path, const v1::Dataset& dataset) {
    std::error_code none;
    return std::filesystem::is_regular_file(path, none) &&
           std::filesystem::file_size(path, none) == static_cast<std::uintmax_t>(dataset.bytes()) &&
           sha256_file(path.string()) == dataset.sha256();
}

client::Downloaded fetch_dataset(client::Client& client, const v1::Dataset& dataset,
                                 const OutputPlace& place) {
    place.make_folder();
    std::error_code none;
    const std::uintmax_t there = std::filesystem::file_size(place.part(), none);
    place.check_space(static_cast<double>(dataset.bytes()) -
                      (none ? 0.0 : static_cast<double>(there)));
    ProgressView view(std::cerr, terminal_columns());
    const auto show = [&](std::int64_t done, std::int64_t total) {
        const double fraction =
            total > 0 ? static_cast<double>(done) / static_cast<double>(total) : 1.0;
        view.show({"download", fraction, std::nullopt,
                   format_bytes(static_cast<double>(done)) + " of " +
                       format_bytes(static_cast<double>(total))});
    };
    const client::Downloaded done = client.download(dataset.sha256(), place.part().string(), show);
    place.put(place.part());
    return done;
}

}  // namespace kaname::cli
