import type { DocumentKind } from '../../core/document-kind.ts'

/** What builds ask of the store that keeps them. */
export interface BuildReader {
  find<Value>(kind: DocumentKind<Value>, key: string): Promise<Value | null>
  /** The documents under these keys, in their order. */
  findMany<Value>(kind: DocumentKind<Value>, keys: readonly string[]): Promise<Value[]>
  /** All documents whose key begins with `prefix`, by key. */
  list<Value>(
    kind: DocumentKind<Value>,
    prefix?: string,
  ): Promise<readonly { readonly key: string; readonly value: Value }[]>
  /** Part of a list, last appended first, as quick at any offset. */
  page<Value>(
    kind: DocumentKind<Value>,
    list: string,
    at: { readonly offset: number; readonly limit: number },
  ): Promise<{ readonly total: number; readonly items: readonly Value[] }>
  counter(name: string): Promise<number>
}

export interface BuildTransaction extends BuildReader {
  put<Value>(kind: DocumentKind<Value>, key: string, value: Value): Promise<void>
  remove(kind: DocumentKind<unknown>, key: string): Promise<void>
  /** The first of `count` numbers in a row that were never given before; they begin at 1. */
  next(counter: string, count?: number): Promise<number>
  append(list: string, id: string): Promise<void>
}

export interface BuildStore extends BuildReader {
  /** One change at a time; it is on disk, whole, when it is answered. */
  change<Result>(work: (transaction: BuildTransaction) => Promise<Result>): Promise<Result>
}
