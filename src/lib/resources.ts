/** Resources opened one after the other, closed in reverse order. */
export class Resources implements AsyncDisposable {
  readonly #opened: (Disposable | AsyncDisposable)[] = []

  /** Takes ownership of a resource and returns it. */
  own<Resource extends Disposable | AsyncDisposable>(resource: Resource): Resource {
    this.#opened.push(resource)
    return resource
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (let resource = this.#opened.pop(); resource; resource = this.#opened.pop()) {
      if (Symbol.asyncDispose in resource) await resource[Symbol.asyncDispose]()
      else resource[Symbol.dispose]()
    }
  }
}

/** Resources that are opened concurrently and closed together, whichever of them exist by then. */
export class PendingResources implements AsyncDisposable {
  readonly #releases: (() => Promise<void>)[] = []

  /**
   * Takes ownership of a resource that is being opened, or of none. Its failure may be handled
   * later.
   */
  take<Resource extends AsyncDisposable | null>(pending: Promise<Resource>): Promise<Resource> {
    const settled = Promise.allSettled([pending])
    this.#releases.push(async () => {
      const [opened] = await settled
      if (opened.status === 'fulfilled') await opened.value?.[Symbol.asyncDispose]()
    })
    return pending
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#releases.map((release) => release()))
  }
}
