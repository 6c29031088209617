#include "evener/flags.h"

#include <CLI/CLI.hpp>
#include <cstdio>

#include "base/near_miss.h"
#include "evener/commands.h"
#include "evener/data_flags.h"
#include "evener/job_view.h"
#include "evener/shared_flags.h"

namespace evener::app {
namespace {

// Every command has --home and --json; --region where prices or ARNs are shown.
void add_shared(CLI::App& command, SharedOptions& options) {
  command.add_option("--home", options.home, "Evener's folder (default: EVENER_HOME or ~/.evener)");
  add_json(command, options.form);
}

void add_region(CLI::App& command, SharedOptions& options) {
  const auto plain_name = [](const std::string& region) {
    constexpr std::size_t kLongest = 32;
    const bool plain = !region.empty() && region.size() <= kLongest &&
                       region.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") ==
                           std::string::npos;
    return plain ? std::string() : "a region is a name such as us-east-1";
  };
  command.add_option("--region", options.region, "region of prices and ARNs")
      ->capture_default_str()
      ->check(plain_name);
}

// Of the commands that work on a server's jobs as on a home's.
void add_server(CLI::App& command, SharedOptions& options) {
  auto* server = command.add_option("--server", options.server,
                                    "address of an evener serve, http://HOST:PORT, in place of a "
                                    "home (default: EVENER_SERVER)");
  server->excludes(command.get_option("--home"));
  command.add_option("--key-file", options.key_file,
                     "key file of the server (default: AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY)");
}

CLI::App* add_command(CLI::App& parent, const std::string& name, const std::string& help) {
  CLI::App* command = parent.add_subcommand(name, help);
  command->fallthrough(false);
  return command;
}

void add_train_flags(CLI::App& train, api::TrainFlags& flags) {
  train.add_option("--entry-point", flags.entry_point, "program in the source folder, e.g. train.py");
  train.add_option("--source-dir", flags.source_dir, "folder or .tar.gz with the program");
  train.add_option("--group", flags.groups, "NAME=TYPE:COUNT, e.g. data_group=ml.c5.2xlarge:1");
  train.add_option("--auxiliary-group", flags.auxiliary_groups,
                   "group that is stopped once the others have ended");
  train.add_option("--channel", flags.channels,
                   "NAME=PATH[@GROUP,GROUP][:sharded][:gzip][:manifest], e.g. raw=photos@data_group");
  train.add_option("--hyperparameter", flags.hyperparameters, "K=V; reaches the program as --K V");
  train.add_option("--env", flags.environment, "K=V; an environment variable of the program");
  train.add_option("--output", flags.output, "folder for model and output (default: HOME/output)");
  train.add_option("--max-runtime", flags.max_runtime, "stop the job after this time, e.g. 1h");
  train.add_option("--name", flags.name, "name of the job (default: entry point and time)");
  train.add_flag("--network-isolation", flags.network_isolation,
                 "instances reach each other and nothing else");
}

void add_train(CLI::App& root, int& exit_code) {
  auto options = std::make_shared<TrainOptions>();
  CLI::App* train = add_command(root, "train", "run a training job and show it until it ends");
  train->add_option("job", options->job_file,
                    "JSON file with the body of CreateTrainingJob, or - for standard input");
  add_shared(*train, options->shared);
  add_server(*train, options->shared);
  add_region(*train, options->shared);
  add_train_flags(*train, options->flags);
  train->add_option("--fit", options->fit,
                    "share, strict or scaled:FACTOR: how instance types map onto this machine");
  train->add_option("--isolation", options->isolation,
                    "namespaces or plain (default: the best that this machine allows)")
      ->envname("EVENER_ISOLATION");
  train->add_flag_callback("--detach", [options] { options->waiting = Waiting::kDetach; },
                           "start the job, print its name and return");
  train->callback([options, train, &exit_code] {
    const bool by_flags = !options->flags.entry_point.empty() || !options->flags.source_dir.empty();
    if (options->job_file.empty() == !by_flags)
      throw CLI::ValidationError("train", "give either a JSON file or --entry-point");
    if (!options->job_file.empty())
      for (const char* flag : {"--group", "--channel", "--hyperparameter", "--env", "--output",
                               "--max-runtime", "--name", "--auxiliary-group",
                               "--network-isolation"})
        if (train->get_option(flag)->count() > 0)
          throw CLI::ValidationError(flag, "has no meaning beside a JSON file; put it there");
    exit_code = run_train(*options);
  });
}

void add_serving(CLI::App& command, ServeOptions& options) {
  add_shared(command, options.shared);
  add_region(command, options.shared);
  command.add_option("--listen", options.listen, "ADDRESS:PORT; port 0 takes any that is free")
      ->capture_default_str();
  command.add_option("--host-name", options.host_names,
                     "name that clients use for this machine, besides localhost and addresses");
  command.add_option("--isolation", options.isolation, "namespaces or plain");
  add_tls(command, options.tls_certificate, options.tls_key);
  command.add_flag("--insecure", options.insecure,
                   "take requests without a signature; on a loopback address only");
}

void add_serve(CLI::App& root, int& exit_code) {
  auto options = std::make_shared<ServeOptions>();
  CLI::App* serve = add_command(root, "serve",
                                "answer SageMaker clients (boto3, AWS CLI, SageMaker SDK)");
  add_serving(*serve, *options);
  serve->callback([options, &exit_code] { exit_code = run_serve(*options); });
}

void add_up(CLI::App& root, int& exit_code) {
  auto options = std::make_shared<UpOptions>();
  CLI::App* up = add_command(root, "up", "serve, with an S3 server beside it");
  add_serving(*up, options->serve);
  auto* other = up->add_option("--s3", options->s3,
                               "endpoint of another S3 server; its keys are in AWS_ACCESS_KEY_ID "
                               "and AWS_SECRET_ACCESS_KEY");
  up->add_option("--bucket", options->bucket, "bucket that is made in the S3 server")
      ->capture_default_str()
      ->excludes(other);
  up->add_option("--s3-program", options->program, "path of SeaweedFS's program `weed`")
      ->excludes(other);
  up->callback([options, &exit_code] { exit_code = run_up(*options); });
}

void add_env(CLI::App& root, int& exit_code) {
  auto options = std::make_shared<EnvOptions>();
  CLI::App* env = add_command(root, "env",
                              "print the exports that lead clients to the server of this home");
  add_shared(*env, options->shared);
  add_region(*env, options->shared);
  env->add_option("--config", options->config_folder,
                  "write the SageMaker SDK's config file into this folder, too");
  env->add_option("--bucket", options->bucket, "default bucket in the config file")
      ->capture_default_str();
  env->add_option("--role", options->role, "role in the config file")->capture_default_str();
  env->add_flag("--read-only", options->read_only, "the key that may look and change nothing");
  env->callback([options, &exit_code] { exit_code = run_env(*options); });
}

void add_jobs_list(CLI::App& jobs, int& exit_code) {
  auto options = std::make_shared<JobsListOptions>();
  CLI::App* list = add_command(jobs, "list", "the jobs of a home or server, newest first");
  add_shared(*list, options->shared);
  add_server(*list, options->shared);
  list->add_option("--status", options->status, "only jobs in this status, e.g. Failed");
  list->add_option("--name-contains", options->name_contains, "only jobs with this in their name");
  list->add_option("--limit", options->limit, "at most this many")
      ->capture_default_str()
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1'000'000}));
  list->callback([options, &exit_code] { exit_code = run_jobs_list(*options); });
}

void add_jobs_logs(CLI::App& jobs, int& exit_code) {
  auto options = std::make_shared<LogsOptions>();
  CLI::App* logs = add_command(jobs, "logs", "what the instances of a job printed");
  add_shared(*logs, options->shared);
  add_server(*logs, options->shared);
  logs->add_option("name", options->name, "name of the job")->required();
  logs->add_option("--host", options->host, "only this host, e.g. algo-1");
  logs->add_option("--group", options->group, "only hosts of this group");
  logs->add_option("--since", options->since, "only from then on: 10m, a UTC time, or epoch seconds");
  logs->add_flag("--follow,-f", options->follow, "go on until the job has ended");
  logs->callback([options, &exit_code] { exit_code = run_jobs_logs(*options); });
}

using JobCommand = int (*)(const JobOptions&);

CLI::App* add_job_command(CLI::App& jobs, const std::string& name, const std::string& help,
                          std::shared_ptr<JobOptions> options, JobCommand run, int& exit_code) {
  CLI::App* command = add_command(jobs, name, help);
  add_shared(*command, options->shared);
  if (run != run_jobs_upload) add_server(*command, options->shared);
  command->add_option("name", options->name, "name of the job")->required();
  command->callback([options, run, &exit_code] { exit_code = run(*options); });
  return command;
}

void add_jobs(CLI::App& root, int& exit_code) {
  CLI::App* jobs = add_command(root, "jobs", "list, show, stop and delete jobs; read their logs");
  jobs->require_subcommand(1);
  add_jobs_list(*jobs, exit_code);
  auto show_options = std::make_shared<JobOptions>();
  CLI::App* show = add_job_command(*jobs, "show", "everything about one job", show_options,
                                   run_jobs_show, exit_code);
  add_region(*show, show_options->shared);
  add_jobs_logs(*jobs, exit_code);
  auto stop_options = std::make_shared<JobOptions>();
  CLI::App* stop = add_job_command(*jobs, "stop", "stop a job; its model is kept", stop_options,
                                   run_jobs_stop, exit_code);
  stop->add_flag("--at-once", stop_options->at_once, "without the grace period");
  add_job_command(*jobs, "upload", "store results that could not be stored when the job ended",
                  std::make_shared<JobOptions>(), run_jobs_upload, exit_code);
  add_job_command(*jobs, "delete", "forget an ended job and its logs; artifacts stay",
                  std::make_shared<JobOptions>(), run_jobs_delete, exit_code);
}

void add_catalog(CLI::App& root, int& exit_code) {
  auto instances = std::make_shared<CatalogOptions>();
  CLI::App* command = add_command(root, "instances", "the instance types that are known");
  add_shared(*command, instances->shared);
  add_region(*command, instances->shared);
  command->add_option("filter", instances->filter, "part of a type's name, e.g. g5");
  command->callback([instances, &exit_code] { exit_code = run_instances(*instances); });

  auto prices = std::make_shared<CatalogOptions>();
  command = add_command(root, "prices", "the price book, each row with its source and date");
  add_shared(*command, prices->shared);
  command->add_option("filter", prices->filter, "part of a type's name");
  command->callback([prices, &exit_code] { exit_code = run_prices(*prices); });
}

void add_doctor(CLI::App& root, int& exit_code) {
  auto options = std::make_shared<SharedOptions>();
  CLI::App* doctor = add_command(root, "doctor", "what this machine allows, and how to allow more");
  add_shared(*doctor, *options);
  doctor->callback([options, &exit_code] { exit_code = run_doctor(*options); });
}

// Started by Evener itself, not by people.
void add_internal(CLI::App& root, int& exit_code) {
  auto engine_options = std::make_shared<EngineOptions>();
  CLI::App* engine = add_command(root, "engine", "")->group("");
  add_shared(*engine, engine_options->shared);
  engine->add_option("--isolation", engine_options->isolation);
  engine->callback([engine_options, &exit_code] { exit_code = run_engine(*engine_options); });

  auto folder = std::make_shared<std::string>();
  CLI::App* supervise = add_command(root, "supervise", "")->group("");
  supervise->add_option("--job-folder", *folder)->required();
  supervise->callback([folder, &exit_code] { exit_code = run_supervise(*folder); });
}

void collect_entries(const CLI::App& command, const std::string& path,
                     std::vector<CompletionEntry>& entries) {
  CompletionEntry entry{.path = path, .words = {}};
  for (const CLI::App* child : command.get_subcommands([](const CLI::App*) { return true; })) {
    if (child->get_group().empty()) continue;
    entry.words.push_back(child->get_name());
    collect_entries(*child, path + " " + child->get_name(), entries);
  }
  for (const CLI::Option* option : command.get_options())
    for (const auto& name : option->get_lnames()) entry.words.push_back("--" + name);
  entries.push_back(std::move(entry));
}

void add_completion(CLI::App& root, int& exit_code) {
  auto shell = std::make_shared<std::string>();
  CLI::App* completion = add_command(root, "completion", "print a completion script for a shell");
  completion->add_option("shell", *shell, "bash, zsh or fish")->required();
  completion->callback([shell, &root, &exit_code] {
    std::vector<CompletionEntry> entries;
    collect_entries(root, "evener", entries);
    const std::string script = completion_script(*shell, entries);
    if (script.empty()) throw CLI::ValidationError("shell", "use bash, zsh or fish");
    print(script);
    exit_code = kExitDone;
  });
}

// The command that the words reached, its name in full, and its words and flags.
const CLI::App& reached(const CLI::App& command) {
  const auto chosen = command.get_subcommands();
  return chosen.empty() ? command : reached(*chosen.front());
}

std::string full_name(const CLI::App& command) {
  const CLI::App* parent = command.get_parent();
  return (parent ? full_name(*parent) + " " : "") + command.get_name();
}

// "'shwo' is no command or flag of evener jobs; did you mean 'show'?"
std::string usage_text(CLI::App& root, const CLI::ParseError& error) {
  const CLI::App& command = reached(root);
  const std::vector<std::string> strangers = root.remaining(true);
  if (strangers.empty()) return error.what();
  std::vector<CompletionEntry> entries;
  collect_entries(command, full_name(command), entries);
  const auto& words = entries.back().words;
  return "'" + strangers.front() + "' is no command or flag of " + full_name(command) +
         did_you_mean(strangers.front(), {words.begin(), words.end()});
}

int report_usage(CLI::App& root, const CLI::ParseError& error) {
  const std::string name = full_name(reached(root));
  report_error({ErrorCode::kInvalidArgument, usage_text(root, error)}, kExitUsage);
  std::fprintf(stderr, "%s --help tells more\n", name.c_str());
  return kExitUsage;
}

}  // namespace

int run_command_line(int argc, char** argv) {
  CLI::App root("Evener runs machine-learning jobs on unlike machines.", "evener");
  root.set_version_flag("--version", "evener " EVENER_VERSION);
  root.require_subcommand(1);
  int exit_code = kExitDone;
  add_train(root, exit_code);
  add_serve(root, exit_code);
  add_up(root, exit_code);
  add_env(root, exit_code);
  add_jobs(root, exit_code);
  add_data(root, exit_code);
  add_catalog(root, exit_code);
  add_doctor(root, exit_code);
  add_completion(root, exit_code);
  add_internal(root, exit_code);
  try {
    root.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return root.exit(error);
    return report_usage(root, error);
  }
  return exit_code_with_output(exit_code);
}

}  // namespace evener::app
