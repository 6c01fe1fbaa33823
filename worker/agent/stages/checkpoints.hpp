// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "worker/agent/stages/pack.hpp"
#include "worker/run/events.hpp"

namespace kaname::agent {

/// Checkpoints keeps the checkpoints of a session's packs, from which later attempts go on.
class Checkpoints {
public:
    /// `folder`: on the file system of the results; gets what is on its way to the holder.
    explicit Checkpoints(std::filesystem::path folder) : folder_(std::move(folder)) {}

    /// Passes on what kaname-compute wrote; its next one takes the name, not the file.
    void keep(Pack& pack, const run::Checkpoint& written);
    /// Puts the checkpoint of an earlier attempt where kaname-compute looks for it, in its work
    /// folder. Throws InputMissing when the server is away; a checkpoint that is lost is no reason
    /// to fail.
    static void offer(Pack& pack, const std::filesystem::path& work);

private:
    std::filesystem::path folder_;
    int n_kept_ = 0;
};

}  // namespace kaname::agent
