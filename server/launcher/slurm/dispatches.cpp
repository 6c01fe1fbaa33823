// SPDX-License-Identifier: BSD-3-Clause
#include "server/launcher/slurm/dispatches.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <fstream>
#include <thread>

#include "server/launcher/slurm/pool.hpp"
#include "solvers/base/error.hpp"
#include "solvers/base/files.hpp"
#include "solvers/base/log_line.hpp"
#include "solvers/base/text.hpp"

namespace kaname::launcher {
namespace {

namespace fs = std::filesystem;
using store::Dispatch;
using store::DispatchState;

constexpr double kRemembered_s = 86400, kForgotten_s = 7 * 86400.0;
constexpr int kLooksBeforeLost = 2;
constexpr const char* kPrefix = "kaname-";
constexpr const char* kMark = ".job";
constexpr const char* kExit = ".exit";

std::string lower(std::string text) {
    std::ranges::transform(text, text.begin(),
                           [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text;
}

/// The last line of a job's log that says anything, as far as it is of use; empty: none.
std::string last_line_of_log(const fs::path& log) {
    constexpr std::size_t kShown = 300, kEnd = 4096;
    std::ifstream in(log, std::ios::binary | std::ios::ate);
    if (!in) {
        return "";
    }
    const auto size = static_cast<std::size_t>(std::max<std::streamoff>(0, in.tellg()));
    in.seekg(static_cast<std::streamoff>(size - std::min(size, kEnd)));
    std::string line, last;
    while (std::getline(in, line)) {
        last = line.find_first_not_of(" \t\r") == std::string::npos ? last : line;
    }
    return shown_on_a_line(last.substr(0, kShown));
}

std::string told(const SlurmJob& job) {
    const bool says_why = !job.reason.empty() && lower(job.reason) != lower(job.state);
    return job.state + (says_why ? ": " + job.reason : "");
}

}  // namespace

/// One look at everything.
struct Dispatches::Seen {
    std::optional<std::vector<SlurmJob>> queue;
    std::string trouble;
    std::optional<std::vector<SlurmJob>> history;
    std::set<std::string> at_work, left;  ///< names of workers

    [[nodiscard]] static const SlurmJob* find(const std::vector<SlurmJob>& jobs,
                                              const Dispatch& dispatch) {
        const SlurmJob* found = nullptr;
        for (const SlurmJob& job : jobs) {
            if (job.name != job_name(dispatch.dispatch_id)) {
                continue;  // a number that was used again is another's
            }
            const bool better =
                found == nullptr || job.id == dispatch.native_id ||
                (found->id != dispatch.native_id && found->phase == JobPhase::Ended);
            found = better ? &job : found;
        }
        return found;
    }
};

std::string Dispatches::job_name(const std::string& dispatch_id) {
    return kPrefix + dispatch_id;
}

std::string Dispatches::agent_prefix(const std::string& pool) {
    return "slurm." + pool + ".";
}

std::string Dispatches::agent_name(const std::string& pool, const std::string& dispatch_id) {
    return agent_prefix(pool) + dispatch_id;
}

Dispatches::Dispatches(store::Store& store, DispatchesOptions options)
    : store_(store), options_(std::move(options)), slurm_(options_.site.command_s) {
    for (const fs::path& folder : {options_.site.folder, options_.marks}) {
        std::error_code error;
        fs::create_directories(folder, error);
        if (error) {
            throw Error(ErrorCode::Unavailable, folder.string() + ": " + error.message());
        }
        fs::permissions(folder, fs::perms::owner_all, error);
    }
}

fs::path Dispatches::file_of(const Dispatch& dispatch, const char* ending) const {
    return options_.site.folder / (job_name(dispatch.dispatch_id) + ending);
}

fs::path Dispatches::mark_of(const Dispatch& dispatch) const {
    return options_.marks / (job_name(dispatch.dispatch_id) + kMark);
}

void Dispatches::submit(const SlurmPool& pool) {
    const std::lock_guard lock(mutex_);
    Dispatch dispatch;
    dispatch.dispatch_id = make_uuid();
    dispatch.place = options_.place;
    dispatch.pool = pool.name;
    const std::string job = job_name(dispatch.dispatch_id);
    const std::string agent = agent_name(pool.name, dispatch.dispatch_id);
    store_.add_dispatch(dispatch);
    live_.push_back(dispatch);
    write_file(mark_of(dispatch), "");
    std::vector<std::string> sbatch = sbatch_options(pool);
    sbatch.insert(sbatch.end(),
                  {"--output=" + file_of(dispatch, ".log").string(), "--open-mode=append"});
    const std::string script =
        worker_script(options_.site, pool, {job, agent, options_.make_token(agent)});
    fail_point("slurm.intended");
    const Submitted answer = slurm_.submit(sbatch, job, script);
    fail_point("slurm.submitted");
    Dispatch& row = live_.back();
    if (answer.answer == Submitted::Answer::Taken) {
        row.native_id = answer.id;
        note(row, DispatchState::Submitted, "");
        return;
    }
    // It may be there all the same: the name tells.
    std::string trouble;
    const auto queue = answer.missing ? std::nullopt : slurm_.queue(trouble);
    if (const SlurmJob* found = queue ? Seen::find(*queue, row) : nullptr) {
        row.native_id = found->id;
        note(row, DispatchState::Submitted, found->reason);
        options_.log("pool " + pool.name + ": " + answer.trouble + "; but job " + found->id +
                     " is there");
        return;
    }
    if (answer.missing || (queue && answer.answer == Submitted::Answer::Refused)) {
        end(row, answer.trouble);
        live_.pop_back();
        throw Error(ErrorCode::Unavailable, answer.trouble);
    }
    note(row, DispatchState::Intended, answer.trouble);
    throw Error(ErrorCode::Unavailable,
                answer.trouble + "; whether there is a job " + job + " is not known yet");
}

void Dispatches::note(Dispatch& dispatch, DispatchState state, const std::string& reason) {
    if (dispatch.state == state && dispatch.reason == reason && state != DispatchState::Submitted) {
        return;
    }
    dispatch.state = state;
    dispatch.reason = reason;
    (void)store_.change_dispatch(dispatch);
}

std::string Dispatches::with_its_words(const Dispatch& dispatch, const std::string& reason,
                                       std::optional<int> exit_code) const {
    if (reason.empty() || reason.starts_with("COMPLETED")) {
        return reason;
    }
    const fs::path log = file_of(dispatch, ".log");
    const std::string line = last_line_of_log(log);
    return reason +
           (exit_code.value_or(0) != 0 ? ", exit code " + std::to_string(*exit_code) : "") +
           (line.empty() ? "" : "; " + log.string() + ": " + line);
}

void Dispatches::end(Dispatch& dispatch, const std::string& reason, std::optional<int> exit_code) {
    dispatch.state = DispatchState::Ended;
    dispatch.reason = with_its_words(dispatch, reason, exit_code);
    dispatch.exit_code = exit_code;
    options_.end_token(agent_name(dispatch.pool, dispatch.dispatch_id));
    (void)store_.change_dispatch(dispatch);
    missing_.erase(dispatch.dispatch_id);
    std::error_code ignored;
    fs::remove(mark_of(dispatch), ignored);
    fs::remove(file_of(dispatch, kExit), ignored);
    if (!reason.empty() && !reason.starts_with("COMPLETED")) {
        options_.log("pool " + dispatch.pool + ": job " +
                     (dispatch.native_id.empty() ? "never submitted" : dispatch.native_id) +
                     " ended: " + dispatch.reason);
    } else {
        fs::remove(file_of(dispatch, ".log"), ignored);
    }
}

void Dispatches::look_at(Dispatch dispatch, Seen& seen) {
    const std::string agent = agent_name(dispatch.pool, dispatch.dispatch_id);
    const bool at_work = seen.at_work.contains(agent);
    const double now_s = options_.clock();
    const auto stays = [&] { live_.push_back(dispatch); };
    if (!seen.queue) {
        if (at_work) {
            note(dispatch, DispatchState::Running, "");
        } else if (dispatch.state != DispatchState::Intended) {
            note(dispatch, DispatchState::Unknown, seen.trouble);
        }
        return stays();
    }
    const SlurmJob* job = Seen::find(*seen.queue, dispatch);
    const bool listed = job != nullptr;
    if (!listed && seen.history) {
        job = Seen::find(*seen.history, dispatch);
    }
    if (listed || (job != nullptr && job->phase != JobPhase::Other)) {
        missing_.erase(dispatch.dispatch_id);
        dispatch.native_id = job->id;
        for (const SlurmJob& other : *seen.queue) {  // submitted twice: one is enough
            if (other.name == job->name && other.id != job->id && other.phase != JobPhase::Ended) {
                slurm_.cancel_copy(other.name, other.id);
            }
        }
    }
    const bool over = job != nullptr && job->phase == JobPhase::Ended;
    if (at_work) {  // whatever anybody says
        note(dispatch, DispatchState::Running, "");
        return stays();
    }
    if (over) {
        std::optional<int> code = job->exit_code;
        const std::string left = read_file_if_any(file_of(dispatch, kExit));
        if (int number = 0;
            std::from_chars(left.data(), left.data() + left.size(), number).ec == std::errc()) {
            code = number;
        }
        return end(dispatch, told(*job), code);
    }
    if (job != nullptr) {
        switch (job->phase) {
            case JobPhase::Waiting:
                note(dispatch, DispatchState::Submitted, job->reason);
                break;
            case JobPhase::Running:
                note(dispatch, DispatchState::Running, job->reason);
                break;
            default:
                note(dispatch, DispatchState::Unknown, told(*job));
        }
        return stays();
    }
    if (const std::string left = read_file_if_any(file_of(dispatch, kExit)); !left.empty()) {
        int code = 0;
        (void)std::from_chars(left.data(), left.data() + left.size(), code);
        return end(dispatch, code == 0 ? "COMPLETED" : "the worker ended", code);
    }
    const auto [entry, is_new] = missing_.try_emplace(dispatch.dispatch_id, Missing{now_s, 0});
    ++entry->second.looks;
    const double missing_s = now_s - entry->second.since_s;
    if (dispatch.state == DispatchState::Intended) {
        if (entry->second.looks > kLooksBeforeLost) {
            return end(dispatch, dispatch.reason.empty() ? "never submitted" : dispatch.reason);
        }
    } else if (entry->second.looks > kLooksBeforeLost && missing_s >= options_.site.vanish_s) {
        return end(dispatch, "gone from the queue without a trace");
    } else {
        note(dispatch, DispatchState::Unknown, "not in the queue");
    }
    stays();
}

void Dispatches::cancel_late(const std::vector<SlurmJob>& jobs) {
    std::set<std::string> alive;
    for (const SlurmJob& job : jobs) {
        if (job.phase != JobPhase::Ended && job.name.starts_with(kPrefix)) {
            alive.insert(job.name);
        }
    }
    for (const Dispatch& dispatch : live_) {
        alive.erase(job_name(dispatch.dispatch_id));
    }
    if (alive.empty()) {
        return;
    }
    for (const Dispatch& dispatch : store_.list_dispatches(options_.place, kRemembered_s)) {
        const std::string name = job_name(dispatch.dispatch_id);
        if (dispatch.state == DispatchState::Ended && alive.contains(name)) {
            options_.log("pool " + dispatch.pool + ": job " + name + " came late; cancelled");
            slurm_.cancel(name, Slurm::Cancel::Now);
        }
    }
}

void Dispatches::refresh(bool now) {
    const double now_s = options_.clock();
    if (!now && last_look_s_ && now_s - *last_look_s_ < options_.site.poll_s) {
        return;
    }
    std::vector<Dispatch> rows = store_.list_dispatches(options_.place, 0);
    last_look_s_ = now_s;
    (void)store_.forget_dispatches(kForgotten_s);
    if (rows.empty()) {
        live_.clear();
        return;
    }
    Seen seen;
    for (const store::WorkerInfo& worker : store_.list_workers()) {
        if (!worker.lost) {
            seen.at_work.insert(worker.registered.name);
        } else if (worker.gone) {
            seen.left.insert(worker.registered.name);
        }
    }
    seen.queue = slurm_.queue(seen.trouble);
    if (seen.trouble != last_trouble_) {
        options_.log(seen.trouble.empty() ? "squeue answers again" : seen.trouble);
        last_trouble_ = seen.trouble;
    }
    if (seen.queue) {
        std::vector<std::string> names;
        for (const Dispatch& row : rows) {
            if (Seen::find(*seen.queue, row) == nullptr) {
                names.push_back(job_name(row.dispatch_id));
            }
        }
        if (!names.empty()) {
            constexpr double kClocksDiffer_s = 600;
            seen.history = slurm_.history(names, rows.front().intended_s - kClocksDiffer_s);
        }
    }
    live_.clear();
    left_.clear();
    for (Dispatch& row : rows) {
        const std::string agent = agent_name(row.pool, row.dispatch_id);
        if (seen.left.contains(agent) && !seen.at_work.contains(agent)) {
            left_.insert(row.dispatch_id);
        }
        look_at(std::move(row), seen);
    }
    if (seen.queue) {
        cancel_late(*seen.queue);
    }
}

int Dispatches::alive(const std::string& pool) {
    const std::lock_guard lock(mutex_);
    refresh(false);
    return static_cast<int>(std::ranges::count_if(live_, [&](const Dispatch& dispatch) {
        return dispatch.pool == pool && !left_.contains(dispatch.dispatch_id);
    }));
}

int Dispatches::waiting(const std::string& pool) {
    const std::lock_guard lock(mutex_);
    return static_cast<int>(std::ranges::count_if(live_, [&](const Dispatch& dispatch) {
        return dispatch.pool == pool && dispatch.state == DispatchState::Submitted;
    }));
}

void Dispatches::withdraw(const std::string& pool, int n) {
    const std::lock_guard lock(mutex_);
    for (auto dispatch = live_.rbegin(); dispatch != live_.rend() && n > 0; ++dispatch) {
        if (dispatch->pool == pool && dispatch->state == DispatchState::Submitted) {
            slurm_.cancel(job_name(dispatch->dispatch_id), Slurm::Cancel::Waiting);
            options_.log("pool " + pool + ": job " + dispatch->native_id +
                         " is not needed any more");
            --n;
        }
    }
    refresh(true);
}

void Dispatches::cancel_all(const std::string& pool, double grace_s) {
    const std::lock_guard lock(mutex_);
    refresh(true);
    const auto each = [&](Slurm::Cancel how) {
        int n = 0;
        for (const Dispatch& dispatch : std::vector<Dispatch>(live_)) {
            if (pool.empty() || dispatch.pool == pool) {
                slurm_.cancel(job_name(dispatch.dispatch_id), how);
                ++n;
            }
        }
        return n;
    };
    if (each(Slurm::Cancel::Waiting) + each(Slurm::Cancel::Gently) == 0) {
        return;
    }
    const double until_s = options_.clock() + grace_s;
    const auto any = [&] {
        return std::ranges::any_of(
            live_, [&](const Dispatch& dispatch) { return pool.empty() || dispatch.pool == pool; });
    };
    do {
        std::this_thread::sleep_for(std::chrono::milliseconds(500));
        refresh(true);
    } while (any() && options_.clock() < until_s);
    if (each(Slurm::Cancel::Now) > 0) {
        refresh(true);
    }
}

int Dispatches::cancel_marked_in(const fs::path& folder, double command_s) {
    const Slurm slurm(command_s);
    int n = 0;
    std::error_code none;
    for (const auto& entry : fs::directory_iterator(folder, none)) {
        if (entry.path().extension() == kMark) {
            slurm.cancel(entry.path().stem().string(), Slurm::Cancel::Now);
            ++n;
        }
    }
    return n;
}

}  // namespace kaname::launcher
