// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <map>

#include "proto/request/form/rules.hpp"
#include "server/service/jobs/jobs.hpp"
#include "server/service/jobs/logs.hpp"
#include "server/service/stream/calls.hpp"
#include "server/service/stream/paging.hpp"
#include "solvers/base/checksums.hpp"

namespace kaname::service {
namespace {

constexpr std::size_t kMaxPiece = 1U << 20U;
constexpr std::size_t kMaxBatch = 64U << 20U;
constexpr std::size_t kMaxInlineValues = (2U << 20U) / sizeof(double);

/// Until the last piece is there they wait on the disk.
SubmitRequest receive_batch(Context& context, const Read<v1::SubmitBatchRequest>& read,
                            const helpers::Caller& caller) {
    v1::SubmitBatchRequest part;
    if (!read(part) || !part.has_header()) {
        refuse("header", "must be the first message of a batch");
    }
    const v1::SubmitBatchRequest::Header header = part.header();
    Spool spool(context.options.scratch);
    Sha256 hash;
    std::int64_t pieces = 0;
    while (read(part) && part.has_piece()) {
        if (part.piece().size() > kMaxPiece) {
            refuse("piece",
                   "must have at most 1048576 bytes, got " + std::to_string(part.piece().size()));
        }
        if (spool.bytes() + part.piece().size() > kMaxBatch) {
            throw Error(ErrorCode::Exhausted,
                        "a batch must have at most " + std::to_string(kMaxBatch) + " bytes");
        }
        check_room(context, part.piece().size());
        spool.append(part.piece());
        hash.update(part.piece());
        ++pieces;
    }
    if (!part.has_commit()) {
        refuse("commit", "must end the batch; nothing was queued");
    }
    const std::string sha256 = hash.hex();
    if (part.commit().pieces() != pieces || part.commit().sha256() != sha256) {
        refuse("commit", "must name the pieces that were sent: " + std::to_string(pieces) +
                             " with sha256 " + sha256);
    }
    SubmitRequest request;
    request.memory = memory_for(context, caller, spool.bytes());
    request.specification = parse_specification(*context.options.kinds, header.type(),
                                                spool.next(spool.bytes()), "header.type");
    request.request_id = header.request_id();
    request.validate_only = header.validate_only();
    request.priority = header.priority();
    return request;
}

/// The axes of a block but for its stations, which may need several messages.
v1::GreensResult axes_of(const helpers::Block& block, std::int64_t n_sources) {
    v1::GreensResult message;
    v1::GreensResult::Axes& axes = *message.mutable_axes();
    axes.mutable_epochs_s()->Assign(block.epochs_s.begin(), block.epochs_s.end());
    axes.mutable_components()->Assign(block.components.begin(), block.components.end());
    axes.set_sources(n_sources);
    axes.set_n_stations(static_cast<std::int64_t>(block.station_ids.size()));
    return message;
}

}  // namespace

void Greens::submit_batch(const Read<v1::SubmitBatchRequest>& read,
                          const auth::Principal& principal, v1::Job& reply,
                          const helpers::Caller& gone, const std::string& traceparent) {
    SubmitRequest request = receive_batch(context_, read, gone.of(principal.name));
    request.traceparent = traceparent;
    request.gone = gone;
    reply = submitter_.submit(std::move(request), principal);
}

Answers<v1::GreensResult> Greens::stream_results(const v1::StreamResultsRequest request) {
    constexpr int kEvents = 64;  // events, and sources that the helper reads, at a time
    // Values of several sources that one who does not read holds in memory.
    constexpr std::size_t kMostValues = (1U << 20U) / sizeof(double);
    int most = kEvents;
    bool axes_known = false;
    const std::string id = id_of(request.job(), "jobs", "job");
    std::int64_t seq = parse_resume_token(id, request.resume_token());
    store::Job job = context_.store.get_job(id);
    bool axes_sent = false;
    while (true) {
        const std::uint64_t version = context_.wakeups.version();
        auto events = context_.store.list_events(id, seq, most);
        // Later than the events: when it has ended, they are all there are.
        std::string text = std::move(job.request);
        job = context_.store.look_at_job(id);
        job.request = std::move(text);
        std::vector<std::int64_t> ordinals;
        for (const store::JobEvent& event : events) {
            if (event.ordinal >= 0) {
                ordinals.push_back(event.ordinal);
            }
        }
        std::map<std::int64_t, store::JobItem> items;
        if (!ordinals.empty()) {
            for (store::JobItem& item : context_.store.items_at(id, ordinals)) {
                const std::int64_t ordinal = item.ordinal;
                items.insert_or_assign(ordinal, std::move(item));
            }
        }
        const auto is_done = [&](const store::JobEvent& event) {
            return event.type == store::EventType::ItemDone && items.at(event.ordinal).source;
        };
        helpers::Block block;
        if (axes_known) {
            std::vector<store::JobItem> done;
            for (const store::JobEvent& event : events) {
                if (is_done(event)) {
                    done.push_back(items.at(event.ordinal));
                }
            }
            block = datasets_.read(job, done);
        }
        // Nobody knows how large a source is: the first one whose result is there is read alone.
        for (auto event = events.begin(); event != events.end() && !axes_known; ++event) {
            if (is_done(*event)) {
                block = datasets_.read(job, {items.at(event->ordinal)});
            }
            if (!block.source_ids.empty()) {
                events.erase(event + 1, events.end());
                break;
            }
        }
        if (!axes_sent && !block.source_ids.empty()) {
            axes_sent = true;
            v1::GreensResult message = axes_of(block, job.n_sources);
            for (const auto& [begin, end] : pieces_of(block.station_ids)) {
                message.mutable_axes()->mutable_stations()->Assign(begin, end);
                co_yield message;
                message.mutable_axes()->Clear();
            }
        }
        const std::size_t width = block.values_of_a_source();
        if (width > 0) {
            axes_known = true;
            most = static_cast<int>(std::clamp<std::size_t>(kMostValues / width, 1, kEvents));
        }
        for (const store::JobEvent& event : events) {
            seq = event.seq;
            if (event.ordinal < 0 || !items.at(event.ordinal).source) {
                continue;
            }
            v1::GreensResult result;
            result.set_ordinal(event.ordinal);
            result.set_source(items.at(event.ordinal).label);
            result.set_error(event.detail);
            result.set_resume_token(make_resume_token(id, seq));
            const auto at = std::ranges::find(block.source_ids, result.source());
            const bool read = at != block.source_ids.end();
            if (event.type == store::EventType::ItemDone) {
                result.set_state(read ? v1::Item::DONE : v1::Item::FAILED);
                result.set_error(read ? "" : "its result is lost; submit the batch again");
            } else {
                result.set_state(event.type == store::EventType::ItemFailed ? v1::Item::FAILED
                                                                            : v1::Item::CANCELLED);
            }
            if (read && width <= kMaxInlineValues) {
                const auto begin = block.values.begin() + (at - block.source_ids.begin()) *
                                                              static_cast<std::ptrdiff_t>(width);
                result.mutable_displacement_m()->Assign(begin,
                                                        begin + static_cast<std::ptrdiff_t>(width));
            }
            co_yield result;
        }
        if (job.state != store::JobState::Active && seq >= job.event_seq) {
            co_return;
        }
        if (events.empty()) {
            throw_if_draining(context_);
            co_yield Pause{version, std::chrono::seconds(1)};
        }
    }
}

// Answers for other rheologies, piece by piece.
namespace {

constexpr int kMostRheologies = 10000;
constexpr std::int64_t kValues = 100000;      // of one message
constexpr std::int64_t kAtOnce = 512 * 1024;  // that a helper is asked for, of more than one source

void check_answer_request(const v1::AnswerRequest& request) {
    if (request.rheologies_size() > kMostRheologies) {
        refuse("rheologies", "must be at most " + std::to_string(kMostRheologies) + ", got " +
                                 std::to_string(request.rheologies_size()));
    }
    request::Rules rules;  // JSON to the helper has no such numbers: they would be left out unseen
    request::every_number_finite(request, "", rules);
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
