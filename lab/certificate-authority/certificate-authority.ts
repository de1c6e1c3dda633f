// The interface of the lab's certificate authority: Pebble or the lab's own.

export interface CertificateAuthority {
  title: string
  /** The ACME directory (RFC 8555, section 7.1.1). */
  directoryUrl: string
  /** A PEM file: the root of the authority's HTTPS certificate. */
  rootFile: string
  /** The root of the certificates that it issues, PEM. */
  root(): Promise<string>
  stop(): Promise<void>
}

export interface AuthorityOptions {
  /** For the authority's files; the caller removes it. */
  folder: string
  address: string
  port: number
  managementPort: number
  /** `address:port` of the resolver by which names are validated. */
  resolver: string
  /** The ports on which challenges are fetched. */
  httpPort: number
  httpsPort: number
}
