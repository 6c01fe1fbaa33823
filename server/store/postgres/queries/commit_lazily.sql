-- SPDX-License-Identifier: BSD-3-Clause
-- Lost in a crash of the database's machine: then the file is put once more.
set local synchronous_commit = off
