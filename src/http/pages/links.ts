/** Every address that a page links to, with the base path in front. Pages build no address by hand. */
export class Links {
  readonly #base: string

  constructor(basePath: string) {
    this.#base = basePath
  }

  history(): string {
    return `${this.#base}/config`
  }

  current(): string {
    return `${this.#base}/config/current`
  }

  edit(): string {
    return `${this.#base}/config/edit`
  }

  /** One revision's snapshot, named by digest, commit or `r` and its number. */
  snapshot(name: string): string {
    return `${this.#base}/config/${encodeURIComponent(name)}`
  }

  compare(from: string, to: string): string {
    return `${this.#base}/config/compare/${encodeURIComponent(from)}/${encodeURIComponent(to)}`
  }

  agents(): string {
    return `${this.#base}/agents`
  }

  pipelines(): string {
    return `${this.#base}/pipelines`
  }

  logOut(): string {
    return `${this.#base}/log-out`
  }

  asset(address: string): string {
    return `${this.#base}/assets/${address}`
  }
}
