import type { DocumentKind } from '../../core/document-kind.ts'

/** Read access of builds to their store. */
export interface BuildReader {
  find<Value>(kind: DocumentKind<Value>, key: string): Promise<Value | null>
  /** The documents with these keys, in their order. */
  findMany<Value>(kind: DocumentKind<Value>, keys: readonly string[]): Promise<Value[]>
  /** All documents whose key starts with `prefix`, by key. */
  list<Value>(
    kind: DocumentKind<Value>,
    prefix?: string,
  ): Promise<readonly { readonly key: string; readonly value: Value }[]>
  /** A part of a list, last appended first, equally fast at any offset. */
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
  /** The first of `count` consecutive numbers that were never used before; they start at 1. */
  next(counter: string, count?: number): Promise<number>
  append(list: string, id: string): Promise<void>
}

export interface BuildStore extends BuildReader {
  /** Runs one change at a time; it is durable as a whole when the promise resolves. */
  change<Result>(work: (transaction: BuildTransaction) => Promise<Result>): Promise<Result>
}
