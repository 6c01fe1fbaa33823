// SPDX-License-Identifier: BSD-3-Clause
// Answers for other rheologies, piece by piece.
#include <algorithm>

#include "proto/spec/form/rules.hpp"
#include "server/service/greens.hpp"
#include "server/service/paging.hpp"
#include "server/service/pieces.hpp"

namespace kaname::service {
namespace {

constexpr int kMostRheologies = 10000;
constexpr std::int64_t kValues = 100000;      // of one message
constexpr std::int64_t kAtOnce = 512 * 1024;  // that a helper is asked for, of more than one source

void check_answer_request(const v1::AnswerRequest& request) {
    if (request.rheologies_size() > kMostRheologies) {
        refuse("rheologies", "must be at most " + std::to_string(kMostRheologies) + ", got " +
                                 std::to_string(request.rheologies_size()));
    }
    spec::Rules rules;  // JSON to the helper has no such numbers: they would be left out unseen
    spec::every_number_finite(request, "", rules);
    if (std::vector<Violation> broken = rules.take(); !broken.empty()) {
        throw ValidationError(std::move(broken));
    }
}

/// Rheologies and sources that a helper is asked for together.
struct Pieces {
    std::int64_t rheologies, sources;
};

Pieces pieces_for(std::int64_t width, std::int64_t n_sources, bool together) {
    const std::int64_t all = width * (together ? 1 : n_sources);
    if (together || all <= kAtOnce) {
        return {std::max<std::int64_t>(1, kAtOnce / std::max<std::int64_t>(1, all)), n_sources};
    }
    return {1, std::max<std::int64_t>(1, kAtOnce / width)};
}

}  // namespace

Answers<v1::AnswerResult> Greens::answer(v1::AnswerRequest request, const helpers::Caller gone) {
    check_answer_request(request);
    const v1::Dataset dataset =
        datasets_.get(id_of(request.dataset(), "datasets", "dataset"), true, gone);
    const std::filesystem::path file = context_.artifacts.local_file(dataset.sha256());
    v1::AnswerAxes axes = context_.compute.answer_axes(file);
    if (request.epochs_s_size() > 0) {
        *axes.mutable_epochs_s() = request.epochs_s();
    }
    if (request.rheologies().empty()) {
        request.add_rheologies();
    }
    const std::vector<std::string> stations(axes.station_ids().begin(), axes.station_ids().end());
    axes.set_n_stations(std::ssize(stations));
    const std::int64_t n_sources = axes.source_ids_size();
    const bool together = !request.slip().empty();
    const std::int64_t width = std::int64_t{axes.epochs_s_size()} * axes.station_ids_size() * 3;
    const Pieces pieces = pieces_for(width, n_sources, together);

    v1::AnswerCommand command;
    *command.mutable_request() = request;
    bool axes_sent = false;
    std::int64_t first_value = 0;  // of the rheology that is being answered
    double worst = 0.0;
    for (std::int64_t from = 0; from < request.rheologies_size(); from += pieces.rheologies) {
        const std::int64_t to =
            std::min<std::int64_t>(request.rheologies_size(), from + pieces.rheologies);
        command.mutable_request()->mutable_rheologies()->Assign(request.rheologies().begin() + from,
                                                                request.rheologies().begin() + to);
        for (std::int64_t source = 0; source < std::max<std::int64_t>(n_sources, 1);
             source += pieces.sources) {
            const std::int64_t last = std::min(n_sources, source + pieces.sources);
            command.set_first_source(source);
            command.set_last_source(last);
            helpers::AnsweredBlock block = context_.compute.answer(file, command);
            v1::AnswerResult message;
            if (!axes_sent) {  // what is refused is refused before anything is said
                axes_sent = true;
                *message.mutable_axes() = axes;
                for (const auto& [begin, end] : pieces_of(stations)) {
                    message.mutable_axes()->mutable_station_ids()->Assign(begin, end);
                    co_yield message;
                    message.mutable_axes()->Clear();
                }
            }
            const std::int64_t each = static_cast<std::int64_t>(block.n_values) / (to - from);
            for (std::int64_t k = 0; k < to - from; ++k) {
                worst = std::max(worst, block.errors.at(k));
                for (std::int64_t at = 0; at < std::max<std::int64_t>(each, 1); at += kValues) {
                    const std::int64_t end = std::min(each, at + kValues);
                    message.Clear();
                    message.set_rheology(from + k);
                    message.set_first(first_value + at);
                    const std::vector<double> some =
                        block.values.next(static_cast<std::size_t>(end - at));
                    message.mutable_values()->Assign(some.begin(), some.end());
                    if (end == each && last == n_sources) {
                        message.set_error(worst);
                    }
                    co_yield message;
                }
                first_value += each;
                if (last == n_sources) {
                    first_value = 0;
                    worst = 0.0;
                }
            }
        }
    }
}

}  // namespace kaname::service
