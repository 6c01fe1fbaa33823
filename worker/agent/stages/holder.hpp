// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>

namespace kaname::agent {

/// Whoever holds the tasks of a stage, as the stage sees it: all that it knows of a server.
class Holder {
public:
    virtual ~Holder() = default;

    /// The file of this hash; it stays while the tasks run. `label` names it for people.
    /// Throws InputMissing, and Stopped or Dropped while it waits.
    virtual std::filesystem::path fetch(const std::string& label, const std::string& sha256) = 0;
    /// Folder where what was fetched lies by its hash.
    [[nodiscard]] virtual std::filesystem::path files() const = 0;

    virtual void set_progress(double fraction, double eta_s, const std::string& text) = 0;
    /// Takes a piece of the tasks' log. Throws Unavailable when that may be tried again.
    virtual void put_log(const std::string& piece) = 0;
    /// Takes what the next attempt of the tasks can go on from; the file is the holder's to remove.
    virtual void put_checkpoint(const std::filesystem::path& file, int step) = 0;
    /// Tells whoever looks after the agent.
    virtual void say(const std::string& line) = 0;

    /// The agent is to end.
    [[nodiscard]] virtual bool stopping() const = 0;
    /// False once none of the tasks is wanted, or the holder's.
    [[nodiscard]] virtual bool wanted() const = 0;
};

}  // namespace kaname::agent
