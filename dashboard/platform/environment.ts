import { useParams } from 'react-router'

export type EnvironmentName = 'production' | 'staging'

/** The environment in the address; production outside of the store's pages. */
export function useEnvironment(): EnvironmentName {
  return useParams().environment === 'staging' ? 'staging' : 'production'
}
