// An address as people say it: without what every address of a site begins and ends with.
export const shownAddress = (address: string): string =>
  address.replace(/^https?:\/\//, '').replace(/\/$/, '')
