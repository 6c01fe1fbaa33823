-- SPDX-License-Identifier: BSD-3-Clause
insert into schema_migration (name, sha256) values ($1, $2)
