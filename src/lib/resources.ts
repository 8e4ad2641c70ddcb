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
