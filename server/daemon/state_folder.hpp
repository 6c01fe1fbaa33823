// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>

namespace kaname::daemon {

/// The state folder: `wanted`, else KANAME_STATE, else $XDG_STATE_HOME/kaname, else
/// ~/.local/state/kaname; absolute and without links, so that every start names the same files
/// alike. Throws InvalidArgument when there is no HOME either.
[[nodiscard]] std::filesystem::path state_folder(const std::string& wanted);

/// Makes it, with mode 0700 whatever the umask, when there is none, and checks who owns it and what
/// is in it, and who may write there. Throws Unavailable, or PermissionDenied with path, owner and
/// mode.
void make_state_folder(const std::filesystem::path& state);

/// <state>/server.pid, there while the server runs.
class PidFile {
public:
    explicit PidFile(const std::filesystem::path& state);
    ~PidFile();
    PidFile(const PidFile&) = delete;
    PidFile& operator=(const PidFile&) = delete;

private:
    std::filesystem::path path_;
};

}  // namespace kaname::daemon
