// A change by the API, after which the pages fetch anew what it may have changed.
import { type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query'
import { ManagementError } from '../../client/management-client.ts'

/** The result is not kept in the cache: it may hold a secret that is shown once. */
export function useChange<Input = void, Result = unknown>(
  change: (input: Input) => Promise<Result>,
  ...changed: QueryKey[]
) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: change,
    onSettled: async (_, error) => {
      if (error !== null && !isOutdated(error)) return
      await Promise.all(changed.map((queryKey) => client.invalidateQueries({ queryKey })))
    },
    gcTime: 0,
  })
}

/** Refused because the record has changed or is gone: what the page shows is old. */
function isOutdated(error: unknown): boolean {
  return error instanceof ManagementError && [404, 409, 412].includes(error.status)
}
