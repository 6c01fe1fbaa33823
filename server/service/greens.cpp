// SPDX-License-Identifier: BSD-3-Clause
#include "server/service/greens.hpp"

#include <algorithm>
#include <map>

#include "server/service/paging.hpp"
#include "server/service/pieces.hpp"
#include "server/service/spool.hpp"
#include "solvers/base/sha256.hpp"

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
        std::string spec = std::move(job.spec);
        job = context_.store.look_at_job(id);
        job.spec = std::move(spec);
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

}  // namespace kaname::service
