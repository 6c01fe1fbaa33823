// SPDX-License-Identifier: BSD-3-Clause
#include "server/helpers/source_reader.hpp"

#include <algorithm>
#include <bit>
#include <fstream>
#include <utility>

#include "proto/report/report.hpp"
#include "solvers/base/checksums.hpp"
#include "solvers/base/error.hpp"
#include "solvers/base/files.hpp"
#include "worker/run/compute_runner.hpp"

namespace kaname::helpers {

HelperSessions::HelperSessions(HelperSessionsOptions options)
    : options_(std::move(options)), keeper_([this] { keep(); }) {}

HelperSessions::~HelperSessions() {
    {
        const std::lock_guard lock(mutex_);
        ends_ = true;
    }
    asked_.notify_all();
    keeper_.join();
}

void HelperSessions::with(const std::string& key, const Start& start,
                          const std::function<void(HelperSession&)>& use) {
    for (bool again = false;; again = true) {
        std::unique_ptr<HelperSession> session = take(key);
        bool proven = false;
        try {
            if (!session) {
                session = begin(start);
            }
            proven = session->proven();
            use(*session);
            give(key, std::move(session));
            return;
        } catch (const run::SessionEnded&) {
            give(key, nullptr);
            if (!proven || again) {
                throw;
            }
        } catch (...) {
            give(key, session && session->usable() ? std::move(session) : nullptr);
            throw;
        }
    }
}

std::unique_ptr<HelperSession> HelperSessions::take(const std::string& key) {
    const auto deadline = Clock::now() + options_.limit;
    std::vector<std::unique_ptr<HelperSession>> closed;  // ended when the lock is released
    std::unique_lock lock(mutex_);
    for (;;) {
        const auto found = slots_.find(key);
        if (found != slots_.end() && !found->second.busy) {
            found->second.busy = true;
            return std::move(found->second.session);
        }
        if (found == slots_.end()) {
            if (slots_.size() >= static_cast<std::size_t>(options_.most)) {
                closed = take_idle(std::chrono::milliseconds(0), 1);
            }
            if (slots_.size() < static_cast<std::size_t>(options_.most)) {
                slots_[key];
                lock.unlock();
                return nullptr;
            }
        }
        if (changed_.wait_until(lock, deadline) == std::cv_status::timeout) {
            throw Error(ErrorCode::Unavailable, "all " + options_.what + " were busy for " +
                                                    std::to_string(options_.limit.count()) +
                                                    " s; call again");
        }
    }
}

void HelperSessions::give(const std::string& key, std::unique_ptr<HelperSession> session) {
    {
        const std::lock_guard lock(mutex_);
        if (session) {
            slots_[key] = {std::move(session), false, Clock::now()};
        } else {
            slots_.erase(key);
        }
    }
    changed_.notify_all();
}

std::unique_ptr<HelperSession> HelperSessions::begin(const Start& start) {
    std::future<std::unique_ptr<HelperSession>> started;
    {
        const std::lock_guard lock(mutex_);
        const auto folder = options_.scratch / std::to_string(++n_started_);
        started = starts_.emplace_back([&start, folder] { return start(folder); }).get_future();
    }
    asked_.notify_all();
    return started.get();
}

std::vector<std::unique_ptr<HelperSession>> HelperSessions::take_idle(
    std::chrono::milliseconds idle, std::size_t most) {
    std::vector<std::unique_ptr<HelperSession>> taken;
    while (taken.size() < most) {
        auto oldest = slots_.end();
        for (auto slot = slots_.begin(); slot != slots_.end(); ++slot) {
            if (!slot->second.busy &&
                (oldest == slots_.end() || slot->second.used < oldest->second.used)) {
                oldest = slot;
            }
        }
        if (oldest == slots_.end() || Clock::now() - oldest->second.used < idle) {
            break;
        }
        taken.push_back(std::move(oldest->second.session));
        slots_.erase(oldest);
    }
    return taken;
}

void HelperSessions::keep() {
    std::unique_lock lock(mutex_);
    while (!ends_) {
        while (!starts_.empty()) {
            auto start = std::move(starts_.front());
            starts_.pop_front();
            lock.unlock();
            start();
            lock.lock();
        }
        auto closed = take_idle(options_.idle, slots_.size());
        if (!closed.empty()) {
            lock.unlock();
            closed.clear();
            changed_.notify_all();
            lock.lock();
            continue;
        }
        asked_.wait_for(lock, options_.idle / 4, [&] { return ends_ || !starts_.empty(); });
    }
    auto closed = take_idle(std::chrono::milliseconds(0), slots_.size());
    lock.unlock();
}

run::Event next_answer(run::ComputeSession& session, const std::string& verb,
                       const AnswerLimit& limit) {
    return session.next([](const run::Event&) {},
                        [&] {
                            if (std::chrono::steady_clock::now() > limit.deadline) {
                                throw Error(ErrorCode::Unavailable,
                                            "kaname-compute " + verb + " took longer than " +
                                                std::to_string(limit.limit.count()) +
                                                " s and was stopped");
                            }
                        });
}

ScratchFolder::ScratchFolder(std::filesystem::path path) : path_(std::move(path)) {
    std::filesystem::create_directories(path_);
}

ScratchFolder::~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
}

std::vector<double> ValueStream::next(std::size_t most) {
    static_assert(std::endian::native == std::endian::little);
    std::vector<double> values(std::min(most, left_));
    const auto bytes = static_cast<std::streamsize>(values.size() * sizeof(double));
    if (!in_->read(reinterpret_cast<char*>(values.data()), bytes)) {
        throw Error(ErrorCode::Internal, "kaname-compute " + verb_ + ": wrote fewer than " +
                                             std::to_string(count_) + " values");
    }
    left_ -= values.size();
    return values;
}

ValueStream values_in(const std::string& verb, const std::string& file, std::size_t count) {
    return {verb, std::make_unique<std::ifstream>(file, std::ios::binary), count};
}

std::vector<double> read_values(const std::string& verb, const std::string& file,
                                std::size_t count) {
    return values_in(verb, file, count).next(count);
}

std::string list_of(std::span<const NamedFile> files) {
    std::string list;
    for (const NamedFile& file : files) {
        list += file.name + '\t' + file.file.string() + '\n';
    }
    return list;
}

SourceReader::SourceReader(const Start& start, const std::string& request_json)
    : folder_(start.folder) {
    write_file(folder_.file("spec.json"), request_json);
    write_file(folder_.file("inputs"), list_of(start.inputs));
    session_.emplace(start.program,
                     std::vector<std::string>{"read", "--spec", folder_.file("spec.json"),
                                              "--inputs", folder_.file("inputs"), "--threads",
                                              std::to_string(start.threads)},
                     1, start.limits);
}

std::string SourceReader::answer(const AnswerLimit& limit) {
    const run::Event event = next_answer(*session_, "read", limit);
    if (const auto* failure = std::get_if<run::Failure>(&event)) {
        usable_ = !axes_.components.empty();  // told of a command, it goes on with the next
        run::rethrow(*failure);
    }
    return std::get<run::Result>(event).json;
}

Block SourceReader::read(std::span<const NamedFile> sources, std::chrono::seconds longest) {
    usable_ = false;
    const AnswerLimit limit{longest};
    if (axes_.components.empty()) {
        const auto ready = report::parse<v1::ReaderReport>(answer(limit), "kaname-compute read");
        axes_.epochs_s.assign(ready.epochs_s().begin(), ready.epochs_s().end());
        axes_.station_ids.assign(ready.station_ids().begin(), ready.station_ids().end());
        axes_.components.assign(ready.components().begin(), ready.components().end());
    }
    v1::ReadCommand command;
    command.set_id(std::to_string(++n_asked_));
    command.set_out(folder_.file("values"));
    for (const NamedFile& source : sources) {
        v1::ReadCommand::Source& one = *command.add_sources();
        one.set_id(source.name);
        one.set_file(source.file.string());
    }
    session_->send(report::to_json(command));
    const auto found = report::parse<v1::BlockReport>(answer(limit), "kaname-compute read");
    if (found.id() != command.id()) {
        throw Error(ErrorCode::Internal, "kaname-compute read: answered command " + found.id() +
                                             " when asked " + command.id());
    }
    Block block = axes_;
    block.source_ids.assign(found.source_ids().begin(), found.source_ids().end());
    block.values =
        read_values("read", command.out(), block.source_ids.size() * block.values_of_a_source());
    ++n_answers_;
    usable_ = true;
    return block;
}

SourceReaders::SourceReaders(SourceReadersOptions options)
    : options_(std::move(options)),
      sessions_({.scratch = options_.scratch,
                 .what = "readers of results",
                 .most = options_.most,
                 .idle = options_.idle,
                 .limit = options_.limit}) {}

Block SourceReaders::read(const std::string& request_json, std::span<const NamedFile> inputs,
                          std::span<const NamedFile> sources) {
    const auto start = [&](const std::filesystem::path& folder) {
        return std::make_unique<SourceReader>(
            SourceReader::Start{options_.program,
                                folder,
                                {inputs.begin(), inputs.end()},
                                options_.threads,
                                options_.limits ? options_.limits(folder) : run::ResourceLimits()},
            request_json);
    };
    Block block;
    sessions_.with(sha256_hex(list_of(inputs) + '\n' + request_json), start,
                   [&](HelperSession& reader) {
                       block = static_cast<SourceReader&>(reader).read(sources, options_.limit);
                   });
    return block;
}

namespace {

constexpr const char* kVerb = "answers";
const std::string kWho = "kaname-compute answers";

}  // namespace

AnswerSession::AnswerSession(const Start& start) : folder_(start.folder) {
    session_.emplace(start.program,
                     std::vector<std::string>{kVerb, "--dataset", start.dataset.string()}, 1,
                     start.limits);
}

const v1::AnswerAxes& AnswerSession::axes(std::chrono::seconds limit) {
    if (!axes_) {
        usable_ = false;
        const run::Event event = next_answer(*session_, kVerb, {limit});
        if (const auto* failure = std::get_if<run::Failure>(&event)) {
            run::rethrow(*failure);
        }
        axes_ = report::parse<v1::AnswerAxes>(std::get<run::Result>(event).json, kWho);
        usable_ = true;
    }
    return *axes_;
}

AnsweredBlock AnswerSession::answer(v1::AnswerCommand command, std::chrono::seconds limit) {
    const v1::AnswerAxes& of = axes(limit);
    const v1::AnswerRequest& request = command.request();
    usable_ = false;
    command.set_id(std::to_string(++n_asked_));
    // A file of its own: who reads the last one slowly goes on with it.
    command.set_out(folder_.file(("values" + std::to_string(n_asked_)).c_str()));
    session_->send(report::to_json(command));
    const run::Event event = next_answer(*session_, kVerb, {limit});
    usable_ = true;  // told of a command, it goes on with the next
    if (const auto* failure = std::get_if<run::Failure>(&event)) {
        run::rethrow(*failure);
    }
    const auto found = report::parse<v1::AnsweredReport>(std::get<run::Result>(event).json, kWho);
    if (found.id() != command.id()) {
        usable_ = false;
        throw Error(ErrorCode::Internal,
                    kWho + ": answered command " + found.id() + " when asked " + command.id());
    }
    const std::int64_t sources =
        request.slip().empty() ? command.last_source() - command.first_source() : 1;
    const int epochs = request.epochs_s().empty() ? of.epochs_s_size() : request.epochs_s_size();
    const std::size_t count =
        static_cast<std::size_t>(request.rheologies_size() * sources) *
        static_cast<std::size_t>(epochs) *
        static_cast<std::size_t>(of.station_ids_size() * of.components_size());
    AnsweredBlock block{{found.errors().begin(), found.errors().end()},
                        values_in(kVerb, command.out(), count),
                        count};
    std::error_code ignored;
    std::filesystem::remove(command.out(), ignored);  // it stays open until all is read
    return block;
}

}  // namespace kaname::helpers
