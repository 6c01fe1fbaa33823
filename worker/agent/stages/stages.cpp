// SPDX-License-Identifier: BSD-3-Clause
#include "worker/agent/stages/stages.hpp"

#include <algorithm>

#include "solvers/base/error.hpp"
#include "worker/agent/stages/once.hpp"

namespace kaname::agent {
namespace fs = std::filesystem;

run::ResourceLimits limits_of(const StageOptions& options, const Pack& pack, bool sessions) {
    const bool gpus = sessions && options.gpus;
    run::ResourceLimits limits;
    limits.memory_bytes = gpus ? 0 : options.memory_bytes;
    limits.confinement = options.confinement;
    if (limits.confinement) {
        std::vector<fs::path>& read = limits.confinement->read;
        read.insert(read.end(), pack.readable.begin(), pack.readable.end());
        std::vector<fs::path>& write = limits.confinement->write;
        write.push_back(pack.folder);
        if (sessions && options.device != "cpu") {
            const std::vector<fs::path> devices = run::gpu_devices();
            write.insert(write.end(), devices.begin(), devices.end());
        }
    }
    return limits;
}

Stages::Stages(StageOptions options, std::function<void()> settle)
    : options_(std::move(options)), settle_(std::move(settle)), checkpoints_(options_.folder) {
    // Tasks of an earlier incarnation are no longer this one's.
    fs::remove_all(options_.folder);
}

Stages::~Stages() = default;

void Stages::run(const v1::ClaimResponse& claimed, Holder& holder, AttemptLog& log,
                 const Deliver& deliver) {
    Pack pack{claimed, holder, log, options_.folder / std::to_string(++n_packs_)};
    struct Removed {
        const fs::path& folder;
        const fs::path& session_folder;
        ~Removed() {
            std::error_code ignored;
            if (folder != session_folder) {
                fs::remove_all(folder, ignored);
            }
        }
    } removed{pack.folder, session_folder_};
    fs::create_directories(pack.folder);
    lay_inputs(pack);
    deliver(pack.first().session()
                ? run_in_session(pack)
                : std::vector<Made>{run_once(pack, options_, callbacks_of(pack))});
}

Callbacks Stages::callbacks_of(Pack& pack) {
    return {[&pack](const run::Progress& progress) {
                pack.holder.set_progress(progress.fraction, progress.eta_s.value_or(-1.0),
                                         progress.text);
            },
            [&pack](const std::string& line) { pack.log.add(line); },
            [&pack] {
                if (pack.holder.stopping()) {
                    throw Stopped();
                }
                pack.log.send();
            },
            [this, &pack](const run::Checkpoint& written) { checkpoints_.keep(pack, written); },
            [&pack] { return !pack.holder.wanted(); }};
}

void Stages::close_session() {
    session_.reset();
    session_verb_.clear();
    session_key_.clear();
    if (!session_folder_.empty()) {
        settle_();
        std::error_code ignored;
        fs::remove_all(session_folder_, ignored);
        session_folder_.clear();
    }
}

void Stages::open_session(Pack& pack, const Callbacks& callbacks) {
    const std::string& verb = pack.first().verb();
    const std::string& key = pack.first().compat_key();
    if (session_ && session_verb_ == verb && session_key_ == key) {
        return;
    }
    close_session();
    pack.holder.set_progress(0.0, -1.0, "setting up");
    session_folder_ = pack.folder;
    const fs::path results = pack.folder / "results";
    fs::create_directories(results);
    std::vector<std::string> arguments = {verb, "--serve"};
    arguments.insert(arguments.end(), pack.given.begin(), pack.given.end());
    arguments.insert(arguments.end(),
                     {"--work", results.string(), "--threads", std::to_string(options_.threads),
                      "--device", options_.device});
    session_ = std::make_unique<VerbSession>(options_.compute, arguments, options_.ranks,
                                             limits_of(options_, pack, true), options_.hang,
                                             callbacks, pack.first().traceparent());
    session_verb_ = verb;
    session_key_ = key;
}

std::vector<Made> Stages::run_in_session(Pack& pack) {
    const Callbacks callbacks = callbacks_of(pack);
    std::vector<std::string> ids;
    for (const v1::Task& task : pack.claimed.tasks()) {
        ids.push_back(task.label());
    }
    std::vector<MadeItem> items;
    try {
        open_session(pack, callbacks);
        Checkpoints::offer(pack, session_folder_ / "results");
        items = session_->run(ids, callbacks, pack.first().traceparent());
    } catch (const Stopped&) {
        throw;  // the agent ends, and its session with it
    } catch (const Dropped&) {
        throw;  // the session has heard of it and goes on
    } catch (const InputMissing&) {
        throw;
    } catch (const Error& error) {
        if (!session_ || error.code() != ErrorCode::InvalidArgument) {
            close_session();  // the program has ended with it
        }
        throw;
    } catch (...) {
        close_session();
        throw;
    }
    std::vector<Made> made;
    for (const v1::Task& task : pack.claimed.tasks()) {
        const auto item = std::ranges::find(items, task.label(), &MadeItem::id);
        made.push_back({.ref = task.ref(),
                        .file = item->file,
                        .failed = item->failed,
                        .failure = item->failure});
    }
    return made;
}

}  // namespace kaname::agent
