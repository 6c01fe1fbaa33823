// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>

namespace kaname::support {

/// Makes `data`, which must not exist, the data folder of a private cluster as a server's first
/// start leaves it: PostgreSQL's own files and all migrations of this build in the database that
/// servers use, no rows. It is a copy of one that lies in `kept`, where the first call makes it
/// with the server's own code; another call at that moment waits, also in another process. Other
/// migrations, another PostgreSQL or another user get one of their own. Its clusters flush nothing
/// to disk (fsync = off): they survive `kill -9` as others do, since the kernel keeps what was
/// written, but not a power cut, which no test makes.
///
/// Throws NotFound when there is no PostgreSQL, Unavailable when its programs fail or nothing can
/// be copied.
void copy_cluster_template(const std::filesystem::path& kept, const std::filesystem::path& data);

}  // namespace kaname::support
