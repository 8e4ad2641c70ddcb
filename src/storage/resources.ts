/** Resources that are opened at the same time and let go of together, whichever of them there are by then. */
export class Resources implements AsyncDisposable {
  readonly #open: AsyncDisposable[] = []

  /** Waits for a resource and keeps it; null for one that is not needed. */
  async take<Resource extends AsyncDisposable | null>(
    pending: Promise<Resource>,
  ): Promise<Resource> {
    const resource = await pending
    if (resource !== null) this.#open.push(resource)
    return resource
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const open = this.#open.splice(0)
    await Promise.all(open.map((resource) => resource[Symbol.asyncDispose]()))
  }
}
