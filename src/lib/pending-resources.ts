/** Resources that are opened at the same time and closed together, whichever of them there are by then. */
export class PendingResources implements AsyncDisposable {
  readonly #letGo: (() => Promise<void>)[] = []

  /** Keeps a resource that is being opened; null for one that is not needed. Its failure may be heard of later. */
  take<Resource extends AsyncDisposable | null>(pending: Promise<Resource>): Promise<Resource> {
    const settled = Promise.allSettled([pending])
    this.#letGo.push(async () => {
      const [opened] = await settled
      if (opened.status === 'fulfilled') await opened.value?.[Symbol.asyncDispose]()
    })
    return pending
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#letGo.map((letGo) => letGo()))
  }
}
