// How long a new access token can be valid, in days.
export const tokenLifetimes = [
  { value: '7', label: 'in 7 days' },
  { value: '30', label: 'in 30 days' },
  { value: '90', label: 'in 90 days' },
  { value: '366', label: 'in a year' },
]
