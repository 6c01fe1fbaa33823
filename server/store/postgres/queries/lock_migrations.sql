-- SPDX-License-Identifier: BSD-3-Clause
select pg_advisory_xact_lock(7301425)
