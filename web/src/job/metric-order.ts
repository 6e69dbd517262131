/** The order of metrics in every list. It also determines their colours. */

/** Models in their own order, then metrics that were requested by name, then component features of the models. */
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

/** Whether libvmaf computes the metric as a component of its models; it cannot be requested on its own. */
export function isPart(name: string): boolean {
  return /^(integer_|float_)?(adm|vif|motion|aim)/.test(name);
}

/** The metrics that hold the scores of a job's models: the first is `vmaf`. */
export function modelMetrics(models: readonly string[]): string[] {
  return models.map((model, index) => (index === 0 ? "vmaf" : model));
}
