-- SPDX-License-Identifier: BSD-3-Clause
update job_planting set touched_at = store_now() where touched_at > store_now() returning 1
