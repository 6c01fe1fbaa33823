-- SPDX-License-Identifier: BSD-3-Clause
select pg_export_snapshot()
