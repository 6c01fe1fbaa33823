// SPDX-License-Identifier: BSD-3-Clause
#include "worker/agent/stages/checkpoints.hpp"

#include <algorithm>

#include "worker/agent/stages/watch.hpp"

namespace kaname::agent {
namespace fs = std::filesystem;
namespace {

void say(Pack& pack, const std::string& what) {
    pack.holder.say(what);
    pack.log.add(what);
}

}  // namespace

void Checkpoints::keep(Pack& pack, const run::Checkpoint& written) {
    const fs::path file = folder_ / ("checkpoint_" + std::to_string(++n_kept_) + ".h5");
    std::error_code failed;
    fs::remove(file, failed);
    fs::create_hard_link(written.file, file, failed);
    if (failed) {
        say(pack, "checkpoint not kept: " + written.file + ": " + failed.message());
        return;
    }
    pack.holder.put_checkpoint(file, written.step);
}

void Checkpoints::offer(Pack& pack, const fs::path& work) {
    const std::string& sha256 = pack.first().checkpoint().sha256();
    const bool of_all = std::ranges::all_of(pack.claimed.tasks(), [&](const v1::Task& task) {
        return task.checkpoint().sha256() == sha256;
    });
    const fs::path place = work / "checkpoint.h5";
    fs::remove(place);
    if (sha256.empty() || !of_all) {
        return;
    }
    std::string lack;
    try {
        fs::create_hard_link(pack.holder.fetch("checkpoint", sha256), place);
    } catch (const InputMissing& missing) {
        if (missing.server_away) {
            throw;
        }
        lack = missing.what();
    } catch (const Stopped&) {
        throw;
    } catch (const Dropped&) {
        throw;
    } catch (const std::exception& error) {  // the verb then begins at the first step
        lack = error.what();
    }
    say(pack, lack.empty() ? "going on after step " + std::to_string(pack.first().checkpoint_step())
                           : "checkpoint not there: " + lack);
}

}  // namespace kaname::agent
