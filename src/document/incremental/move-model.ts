/** A copy of a model that stands elsewhere: wherever it says so, it begins with the new place. */
export function moveModel<Model>(model: Model, at: readonly number[]): Model {
  if (typeof model !== 'object' || model === null) return model
  if (!Array.isArray(model)) return filled(Object.assign({}, model), at)
  const copy = Object.assign([], model)
  if (typeof model[0] !== 'number') return filled(copy, at)
  for (const [depth, index] of at.entries()) Reflect.set(copy, depth, index)
  return copy
}

function filled<Copy extends object>(copy: Copy, at: readonly number[]): Copy {
  for (const key of Object.keys(copy)) {
    const value: unknown = Reflect.get(copy, key)
    if (typeof value === 'object' && value !== null) Reflect.set(copy, key, moveModel(value, at))
  }
  return copy
}
