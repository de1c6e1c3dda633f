// The lab's certificate authority, whichever it is. What speaks ACME here is trusted by nobody outside.

export interface CertificateAuthority {
  title: string
  /** Where ACME begins (RFC 8555, section 7.1.1). */
  directoryUrl: string
  /** A PEM file: who trusts it, trusts the authority's HTTPS. */
  rootFile: string
  /** The root that its certificates lead to, PEM. */
  root(): Promise<string>
  stop(): Promise<void>
}

export interface AuthorityOptions {
  /** Files are made here; whoever gives the folder removes it. */
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
