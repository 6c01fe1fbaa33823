-- SPDX-License-Identifier: BSD-3-Clause
select name, sha256 from schema_migration order by name
