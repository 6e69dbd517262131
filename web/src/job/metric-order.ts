/** The order of metrics wherever they are listed, which gives each its colour too. */

/** Models in their own order, then what was asked for by name, then the parts that models are made of. */
export function metricsOf(names: readonly string[], models: readonly string[]): string[] {
  const rank = (name: string): number => {
    const model = models.indexOf(name);
    if (model >= 0) return model;
    return models.length + (isPart(name) ? 1 : 0);
  };
  return names
    .map((name, index) => ({ name, index }))
    .sort((one, other) => rank(one.name) - rank(other.name) || one.index - other.index)
    .map(({ name }) => name);
}

/** Whether libvmaf computes it for its models: nobody asks for it by itself. */
export function isPart(name: string): boolean {
  return /^(integer_|float_)?(adm|vif|motion|aim)/.test(name);
}

/** The metrics that hold the values of a job's models: the first is `vmaf`. */
export function modelMetrics(models: readonly string[]): string[] {
  return models.map((model, index) => (index === 0 ? "vmaf" : model));
}
